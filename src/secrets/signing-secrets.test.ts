import { expect, test } from 'vitest'
import { testMachine } from '../../test/support/machine.ts'
import type { CredentialStores } from './credentials.ts'
import { openCredentialsFile } from './credentials-file.ts'
import { KeychainError } from './errors.ts'
import { noteListenerSubscription } from './listener-subscriptions.ts'
import { redacted } from './redaction.ts'
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

test('a BANKAPI_WEBHOOK_SECRET that no secret looks like is named, not used', async () => {
  const machine = testMachine({ BANKAPI_WEBHOOK_SECRET: 'whsec_a b' })
  const secrets = new SigningSecrets({ machine, stores: stores(), environment: 'live' })
  await expect(secrets.valid('whk_1')).rejects.toMatchObject({
    code: 'malformed',
    message: expect.stringMatching(/^BANKAPI_WEBHOOK_SECRET has (?!.*whsec_)/),
  })
})

test.each([['whk_3'], [undefined]])(
  'a secret that is not known (%s) is an error with the way to it',
  async (id) => {
    const here = stores({ 'live/webhook/whk_1': 'one', 'live/webhook/undefined': 'none' })
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

test('storing the first secret, or the same again, replaces none', async () => {
  const here = stores()
  for (const _ of ['first', 'again']) await secretsOf(here, 'live').store('whk_1', 'whsec_1')
  expect([...here.entries.keys()]).toEqual(['live/webhook/whk_1'])
  await secretsOf(here, 'live').store('whk_1', 'whsec_2')
  expect([...here.entries.keys()]).toEqual(['live/webhook/whk_1', 'live/webhook/whk_1/replaced'])
  await secretsOf(here, 'live').forget('whk_1')
  expect(here.entries.size).toBe(0)
})

test('a replaced secret that was read is kept out of every line', async () => {
  const replaced = 'formless and replaced'
  const here = stores({
    'live/webhook/whk_1': 'whsec_1',
    'live/webhook/whk_1/replaced': JSON.stringify({ secret: replaced, replaced_at: now }),
  })
  expect(redacted(replaced)).toBe(replaced)
  await secretsOf(here, 'live').valid('whk_1')
  expect(redacted(replaced)).toBe('…')
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

test('of the keychain only signing secrets are read, and one that is gone meanwhile is left out', async () => {
  const here = stores({ 'live/api-key': 'sk_live_1', 'live/webhook/whk_1': 'whsec_1' })
  await here.file.set('live/portal-secret', 'portal')
  const asked: string[] = []
  const keychain = { ...here.keychain, get: async (account: string) => void asked.push(account) }
  expect(await storedSecrets({ ...here, keychain })).toEqual({ keychain: undefined, secrets: [] })
  expect(asked).toEqual(['live/webhook/whk_1'])
})

test('a fault that is none of the keychain is thrown', async () => {
  const here = stores()
  const keychain = { ...here.keychain, list: () => Promise.reject(new TypeError('a fault')) }
  await expect(storedSecrets({ ...here, keychain })).rejects.toThrow(TypeError)
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

test('a stored delivery may be signed with the secrets that its environment and subscription had when it came', async () => {
  const secrets = secretsOf(stores(), 'sandbox')
  const known = [
    { environment: 'sandbox', subscription: 'whk_1', secret: 'one' },
    { environment: 'sandbox', subscription: 'whk_1', secret: 'replaced', replacedAt: now - day },
    { environment: 'sandbox', subscription: 'whk_2', secret: 'two' },
    { environment: 'live', subscription: 'whk_1', secret: 'live' },
  ] as const
  const delivery = { environment: 'sandbox', receivedAt: (now - 1) * 1000 }
  expect(secrets.validFor(delivery, known)).toEqual(['one', 'replaced', 'two'])
  expect(secrets.validFor({ ...delivery, subscription: 'whk_1' }, known)).toEqual(['one', 'replaced'])
  expect(secrets.validFor({ ...delivery, receivedAt: now * 1000 }, known)).toEqual(['one', 'two'])
  expect(secrets.validFor({ ...delivery, environment: 'local' }, known)).toEqual([])
})
