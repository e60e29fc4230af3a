import { expect, it } from 'vitest'
import EmulatorTrigger from '../../src/commands/emulator/trigger.ts'
import { TriggerOrder } from '../../src/emulator/control/trigger-order.ts'

it('emulator trigger offers exactly the changes that the emulator can make', () => {
  expect(EmulatorTrigger.args.type.options).toEqual(TriggerOrder.shape.type.options)
})
