import { expect, test } from 'vitest'
import { testMachine } from '../../test/support/machine.ts'
import type { CredentialStores } from './credentials.ts'
import { openCredentialsFile } from './credentials-file.ts'
import { KeychainError } from './errors.ts'
import { noteListenerSubscription } from './listener-subscriptions.ts'
import { SigningSecrets, storedSecrets } from './signing-secrets.ts'

const now = 1_790_000_000
const day = 24 * 60 * 60

function stores(content: Record<string, string> = {}): CredentialStores & { entries: Map<string, string> } {
  const entries = new Map(Object.entries(content))
  return {
    entries,
    file: openCredentialsFile(testMachine(), () => {}),
    keychain: {
      get: async (account) => entries.get(account),
      set: async (account, secret) => void entries.set(account, secret),
      delete: async (account) => entries.delete(account),
      list: async () => [...entries.keys()].sort(),
    },
  }
}

/** The signing secrets of an environment, at a time in Unix seconds. */
function secretsOf(here: CredentialStores, environment: 'sandbox' | 'live', seconds = now): SigningSecrets {
  const machine = { ...testMachine(), now: () => seconds * 1000 }
  return new SigningSecrets({ machine, stores: here, environment })
}

test('BANKAPI_WEBHOOK_SECRET goes before what is stored for the subscription', async () => {
  const here = stores({ 'live/webhook/whk_1': 'one', 'live/webhook/whk_2': 'two' })
  expect(await secretsOf(here, 'live').valid('whk_2')).toEqual(['two'])
  const machine = testMachine({ BANKAPI_WEBHOOK_SECRET: 'v' })
  expect(await new SigningSecrets({ machine, stores: here, environment: 'live' }).valid('whk_2')).toEqual([
    'v',
  ])
})

test.each([['whk_3'], [undefined]])(
  'a secret that is not known (%s) is an error with the way to it',
  async (id) => {
    const here = stores({ 'live/webhook/whk_1': 'one' })
    await expect(secretsOf(here, 'live').valid(id)).rejects.toMatchObject({
      code: 'missing',
      exit: 'notAuthenticated',
    })
  },
)

test('a rotation keeps both secrets, and the old one is valid for 24 hours', async () => {
  const here = stores({ 'sandbox/webhook/whk_1': 'whsec_old' })
  await secretsOf(here, 'sandbox').store('whk_1', 'whsec_new')
  const at = (seconds: number) => secretsOf(here, 'sandbox', seconds).valid('whk_1')
  expect(await at(now)).toEqual(['whsec_new', 'whsec_old'])
  expect(await at(now + day - 1)).toEqual(['whsec_new', 'whsec_old'])
  expect(await at(now + day)).toEqual(['whsec_new'])
})

test('a secret replaced before the last rotation is over at once', async () => {
  const here = stores({ 'sandbox/webhook/whk_1': 'whsec_1' })
  await secretsOf(here, 'sandbox').store('whk_1', 'whsec_2')
  await secretsOf(here, 'sandbox', now + 60).store('whk_1', 'whsec_3')
  expect(await secretsOf(here, 'sandbox', now + 61).valid('whk_1')).toEqual(['whsec_3', 'whsec_2'])
})

test('in the credentials file, where the user chose it', async () => {
  const here = stores()
  await here.file.set('live/api-key', 'sk_live_1')
  await here.file.set('live/webhook/whk_9', 'whsec_old')
  await secretsOf(here, 'live').store('whk_9', 'whsec_new')
  expect(here.entries.size).toBe(0)
  expect(await secretsOf(here, 'live').valid('whk_9')).toEqual(['whsec_new', 'whsec_old'])
  await secretsOf(here, 'live').forget('whk_9')
  expect(here.file.list()).toEqual(['live/api-key'])
})

test('every secret is labelled with its environment and subscription, of all environments and both stores', async () => {
  const here = stores({
    'sandbox/api-key': 'sk_test_1',
    'sandbox/webhook/whk_1': 'whsec_1',
    'sandbox/webhook/whk_1/replaced': JSON.stringify({ secret: 'whsec_0', replaced_at: now }),
    'local/webhook/whk_3/replaced': 'damaged',
  })
  await here.file.set('live/webhook/whk_2', 'whsec_2')
  expect(await storedSecrets(here)).toEqual({
    keychain: undefined,
    secrets: [
      { environment: 'live', subscription: 'whk_2', secret: 'whsec_2' },
      { environment: 'sandbox', subscription: 'whk_1', secret: 'whsec_1' },
      { environment: 'sandbox', subscription: 'whk_1', secret: 'whsec_0', replacedAt: now },
    ],
  })
})

test('a keychain that does not answer is reported beside what the file holds', async () => {
  const here = stores()
  await here.file.set('live/webhook/whk_2', 'whsec_2')
  const silent = new KeychainError('timeout', 'no answer')
  const keychain = { ...here.keychain, list: async () => Promise.reject(silent) }
  expect(await storedSecrets({ ...here, keychain })).toEqual({
    keychain: silent,
    secrets: [{ environment: 'live', subscription: 'whk_2', secret: 'whsec_2' }],
  })
})

test('a store that cannot be read explains nothing and breaks nothing', async () => {
  const here = stores()
  const keychain = { ...here.keychain, list: () => Promise.reject(new Error('no')) }
  expect(await secretsOf({ ...here, keychain }, 'live').known()).toEqual([])
})

test('secrets that listeners on local noted are known, too', async () => {
  const here = stores({ 'sandbox/webhook/whk_2': 'whsec_2' })
  const machine = testMachine()
  const noted = {
    base_url: 'http://127.0.0.1:4010/v3',
    created_at: '2026-01-01T00:00:00Z',
    made: true,
  } as const
  const subscription_id = 'whk_1'
  await noteListenerSubscription(machine, {
    ...{ ...noted, subscription_id, environment: 'local', signing_secret: 'whsec_1' },
  })
  await noteListenerSubscription(machine, { ...noted, environment: 'live', subscription_id: 'whk_3' })
  expect(await new SigningSecrets({ machine, stores: here, environment: 'local' }).known()).toEqual([
    { environment: 'local', subscription: 'whk_1', secret: 'whsec_1' },
    { environment: 'sandbox', subscription: 'whk_2', secret: 'whsec_2' },
  ])
})
