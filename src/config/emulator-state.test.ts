import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, statSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { temporaryFolder, testMachine } from '../../test/support/machine.ts'
import {
  emulatorStatePath,
  type RunningEmulator,
  readEmulatorState,
  removeEmulatorState,
  writeEmulatorState,
} from './emulator-state.ts'

const state = (pid: number): RunningEmulator => ({
  pid,
  started_at: '2026-01-02T03:04:05Z',
  sandbox: { base_url: 'http://127.0.0.1:4010/v3', api_key: 'sk_test_demo', portal_secret: 'p' },
  live: { base_url: 'http://127.0.0.1:4011/v3', api_key: 'sk_live_demo', portal_secret: 'q' },
  control_url: 'http://127.0.0.1:4010/_emulator/',
})

const machineWithData = () => testMachine({ BANKAPI_DATA_DIR: temporaryFolder() })

test('a running emulator is found, from a 0600 file', async () => {
  const machine = machineWithData()
  expect(readEmulatorState(machine)).toEqual({ running: undefined, ignored: undefined })
  await writeEmulatorState(machine, state(process.pid))
  expect(readEmulatorState(machine)).toEqual({ running: state(process.pid), ignored: undefined })
  expect(statSync(emulatorStatePath(machine)).mode & 0o777).toBe(0o600)
})

test('what a killed emulator left behind is ignored, and said so', async () => {
  const machine = machineWithData()
  const { pid } = spawnSync(process.execPath, ['-e', '0'])
  await writeEmulatorState(machine, state(pid))
  const { running, ignored } = readEmulatorState(machine)
  expect(running).toBeUndefined()
  expect(ignored).toContain(`process ${pid}) no longer runs`)
})

test.each(['', '{', '{"pid":1}', '[]'])('a damaged file is ignored, and said so: %s', async (text) => {
  const machine = machineWithData()
  await writeEmulatorState(machine, state(process.pid))
  writeFileSync(emulatorStatePath(machine), text)
  expect(readEmulatorState(machine)).toEqual({
    running: undefined,
    ignored: expect.stringContaining('is not what an emulator writes'),
  })
})

test('a file that others can read is refused', async () => {
  const machine = machineWithData()
  await writeEmulatorState(machine, state(process.pid))
  chmodSync(emulatorStatePath(machine), 0o644)
  expect(() => readEmulatorState(machine)).toThrow(expect.objectContaining({ code: 'unsafe_file' }))
})

test('an emulator that ends removes its own file, not the one of another started since', async () => {
  const machine = machineWithData()
  await writeEmulatorState(machine, state(process.pid))
  expect(await removeEmulatorState(machine, process.pid + 1)).toBe(false)
  expect(existsSync(emulatorStatePath(machine))).toBe(true)
  expect(await removeEmulatorState(machine, process.pid)).toBe(true)
  expect(existsSync(emulatorStatePath(machine))).toBe(false)
  expect(await removeEmulatorState(machine, process.pid)).toBe(false)
})
