import { chmodSync, existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testMachine } from '../../test/support/machine.ts'
import { dataDir } from '../machine/paths.ts'
import {
  forgetListenerSubscription,
  type ListenerSubscription,
  listenerSubscriptions,
  noteListenerSubscription,
} from './listener-subscriptions.ts'

const one: ListenerSubscription = {
  environment: 'local',
  base_url: 'http://127.0.0.1:4010/v3',
  subscription_id: 'whk_1',
  created_at: '2026-01-01T00:00:00Z',
  made: true,
  signing_secret: 'whsec_1',
}

test('what is noted is there until it is forgotten, in a file of the user alone', async () => {
  const machine = testMachine()
  expect(listenerSubscriptions(machine)).toEqual([])
  await noteListenerSubscription(machine, one)
  await noteListenerSubscription(machine, { ...one, signing_secret: 'whsec_2' })
  await noteListenerSubscription(machine, { ...one, environment: 'live' })
  expect(listenerSubscriptions(machine).map((noted) => noted.signing_secret)).toEqual(['whsec_2', 'whsec_1'])
  expect(statSync(join(dataDir(machine), 'listeners.json')).mode & 0o777).toBe(0o600)
  await forgetListenerSubscription(machine, one)
  expect(listenerSubscriptions(machine)).toEqual([{ ...one, environment: 'live' }])
})

test('listeners that were killed leave no file without end', async () => {
  const machine = testMachine()
  for (let at = 0; at < 60; at++)
    await noteListenerSubscription(machine, { ...one, subscription_id: `whk_${at}` })
  expect(listenerSubscriptions(machine)).toHaveLength(50)
  expect(listenerSubscriptions(machine).at(-1)?.subscription_id).toBe('whk_59')
})

test('a damaged file counts as none, and is written anew', async () => {
  const machine = testMachine()
  await noteListenerSubscription(machine, one)
  writeFileSync(join(dataDir(machine), 'listeners.json'), '{"a":', { mode: 0o600 })
  expect(listenerSubscriptions(machine)).toEqual([])
  await noteListenerSubscription(machine, one)
  expect(listenerSubscriptions(machine)).toEqual([one])
})

test('JSON of another form counts as no note', async () => {
  const machine = testMachine()
  await noteListenerSubscription(machine, one)
  writeFileSync(join(dataDir(machine), 'listeners.json'), '[{"made":1}]', { mode: 0o600 })
  expect(listenerSubscriptions(machine)).toEqual([])
})

test('a file that others can read is refused: it holds signing secrets', async () => {
  const machine = testMachine()
  await noteListenerSubscription(machine, one)
  chmodSync(join(dataDir(machine), 'listeners.json'), 0o644)
  expect(() => listenerSubscriptions(machine)).toThrow(expect.objectContaining({ code: 'unsafe_file' }))
})

test('only the subscription of that address is forgotten; what was not noted makes no file', async () => {
  const machine = testMachine()
  await forgetListenerSubscription(machine, one)
  expect(existsSync(dataDir(machine))).toBe(false)
  const elsewhere = { ...one, base_url: 'http://127.0.0.1:4011/v3' }
  const other = { ...one, subscription_id: 'whk_2' }
  for (const noted of [one, elsewhere, other]) await noteListenerSubscription(machine, noted)
  await forgetListenerSubscription(machine, one)
  expect(listenerSubscriptions(machine)).toEqual([elsewhere, other])
})
