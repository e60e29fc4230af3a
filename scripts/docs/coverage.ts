/** Which operations the emulator answers: with their commands, the table of docs/api-coverage.md. */
import type { Contract } from '../../src/contract/contract.ts'

/** Whether the emulator answers an operation. */
export function isEmulated(handlers: Partial<Record<keyof Contract, object>>, operation: string): boolean {
  const [area = '', name = ''] = operation.split('.')
  const ofArea = handlers[area as keyof Contract]
  return ofArea !== undefined && Object.hasOwn(ofArea, name)
}
