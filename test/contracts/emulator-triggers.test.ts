import { expect, it } from 'vitest'
import EmulatorBank from '../../src/commands/emulator/bank.ts'
import EmulatorTrigger from '../../src/commands/emulator/trigger.ts'
import { BankOrder } from '../../src/emulator/control/bank-order.ts'
import { TriggerOrder } from '../../src/emulator/control/trigger-order.ts'

it('emulator trigger offers exactly the changes that the emulator can make', () => {
  expect(EmulatorTrigger.args.type.options).toEqual(TriggerOrder.shape.type.options)
})

it('emulator bank offers exactly the changes that a bank can make', () => {
  const changes = BankOrder.options.map(({ shape }) => shape.change.value)
  expect(EmulatorBank.args.change.options).toEqual(changes)
})
