import { expect, test } from 'vitest'
import { testMachine } from '../../../test/support/machine.ts'
import type { Keychain } from '../../secrets/keychain.ts'
import { noteListenerSubscription } from '../../secrets/listener-subscriptions.ts'
import { backgroundSecrets, everyKnownSecret } from './known-secrets.ts'
import type { Session } from './session.ts'

const fileOf = (secrets: Record<string, string>) => ({
  list: () => Object.keys(secrets),
  get: (account: string) => secrets[account],
})

/** A session of which only what is asked for here is there. */
function session(keychain: Partial<Keychain>, secrets: Record<string, string> = {}): Session {
  return { machine: testMachine(), stores: { keychain, file: fileOf(secrets) } } as unknown as Session
}

test('a keychain that does not answer delays no explanation for long', async () => {
  let answer: (accounts: string[]) => void = () => {}
  const slow = {
    list: () => new Promise<string[]>((resolve) => (answer = resolve)),
    get: async () => 'whsec_1',
  }
  const secrets = backgroundSecrets(session(slow))
  const started = performance.now()
  expect(await secrets()).toEqual([])
  expect(performance.now() - started).toBeLessThan(1500)
  answer(['live/webhook/whk_1'])
  await expect.poll(secrets).toEqual([{ environment: 'live', subscription: 'whk_1', secret: 'whsec_1' }])
})

test('one that fails, and a file that nobody may read, explain nothing and break nothing', async () => {
  const broken = { list: () => Promise.reject(new Error('no')) }
  expect(await everyKnownSecret(session(broken))).toEqual([])
})

test('secrets that listeners on local noted are known, too', async () => {
  const here = session({ list: async () => [] }, { 'sandbox/webhook/whk_2': 'whsec_2' })
  const noted = {
    environment: 'local',
    base_url: 'http://127.0.0.1:4010/v3',
    created_at: '2026-01-01T00:00:00Z',
  } as const
  await noteListenerSubscription(here.machine, {
    ...noted,
    subscription_id: 'whk_1',
    made: true,
    signing_secret: 'whsec_1',
  })
  await noteListenerSubscription(here.machine, {
    ...noted,
    environment: 'live',
    subscription_id: 'whk_3',
    made: true,
  })
  expect(await everyKnownSecret(here)).toEqual([
    { environment: 'local', subscription: 'whk_1', secret: 'whsec_1' },
    { environment: 'sandbox', subscription: 'whk_2', secret: 'whsec_2' },
  ])
})
