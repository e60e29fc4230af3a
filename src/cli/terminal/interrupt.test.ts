import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { InterruptedError } from '../errors/errors.ts'
import { interruptOf } from './interrupt.ts'

/** A process that gets signals and notes what it was ended with. */
function fakeProcess() {
  const exits: number[] = []
  const process = Object.assign(new EventEmitter(), { exit: (code: number) => exits.push(code) })
  return { process: process as unknown as NodeJS.Process, exits }
}

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'the first %s aborts, a second Ctrl-C ends the process',
  (name) => {
    const { process, exits } = fakeProcess()
    const { signal } = interruptOf(process)
    process.emit(name, name)
    expect(signal.reason).toBeInstanceOf(InterruptedError)
    expect(signal.reason).toMatchObject({ signalName: name })
    expect(exits).toEqual([])
    process.emit('SIGINT', 'SIGINT')
    expect(exits).toEqual([130])
  },
)

test('after dispose signals are not listened for', () => {
  const { process } = fakeProcess()
  const { signal, dispose } = interruptOf(process)
  dispose()
  expect(process.emit('SIGINT', 'SIGINT')).toBe(false)
  expect(signal.aborted).toBe(false)
})
