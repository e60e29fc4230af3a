/** Which command and which emulator handler serve an operation of the contract: the table of docs/api-coverage.md. */
import { type Contract, everyEndpoint } from '../../src/contract/contract.ts'
import type { Endpoint } from '../../src/contract/endpoint.ts'

export interface CoverageRow {
  readonly operation: string
  readonly endpoint: Endpoint
  /** `bankapi …` without the program's name; null for what is opened in a browser. */
  readonly command: string | null
}

/** Operations whose command is not `<area> <name>` in kebab case. */
const elsewhere: Readonly<Record<string, string | null>> = {
  'sandbox.institutions': 'institutions sandbox',
  'connectSessions.page': null,
  'keys.updateScopes': 'keys rotate-scopes',
  'portal.createLiveRequest': 'portal live-request create',
  'portal.updateLiveRequest': 'portal live-request update',
  'portal.createAccessRequest': 'portal access-request create',
  'portal.accessRequestStatus': 'portal access-request status',
  'health.check': 'health',
}

export function coverage(): CoverageRow[] {
  return everyEndpoint().map(({ area, name, endpoint }) => {
    const operation = `${area}.${name}`
    const command = Object.hasOwn(elsewhere, operation)
      ? elsewhere[operation]
      : `${kebab(area)} ${kebab(name)}`
    return { operation, endpoint, command: command ?? null }
  })
}

/** Whether the emulator answers an operation. */
export function isEmulated(handlers: Partial<Record<keyof Contract, object>>, operation: string): boolean {
  const [area = '', name = ''] = operation.split('.')
  const ofArea = handlers[area as keyof Contract]
  return ofArea !== undefined && Object.hasOwn(ofArea, name)
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
