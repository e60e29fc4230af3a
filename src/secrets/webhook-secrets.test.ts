import { expect, test } from 'vitest'
import { testMachine } from '../../test/support/machine.ts'
import type { CredentialStores } from './credentials.ts'
import { openCredentialsFile } from './credentials-file.ts'
import { KeychainError } from './errors.ts'
import {
  everyWebhookSecret,
  forgetWebhookSecrets,
  replaceWebhookSecret,
  validWebhookSecrets,
} from './webhook-secrets.ts'

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

test('a rotation keeps both secrets, and the old one is valid for 24 hours', async () => {
  const here = stores({ 'sandbox/webhook/whk_1': 'whsec_old' })
  await replaceWebhookSecret(here, 'sandbox', 'whk_1', { secret: 'whsec_new', now })
  const at = (seconds: number) => validWebhookSecrets(here, 'sandbox', 'whk_1', seconds)
  expect(await at(now)).toEqual(['whsec_new', 'whsec_old'])
  expect(await at(now + day - 1)).toEqual(['whsec_new', 'whsec_old'])
  expect(await at(now + day)).toEqual(['whsec_new'])
})

test('a secret replaced before the last rotation is over at once', async () => {
  const here = stores({ 'sandbox/webhook/whk_1': 'whsec_1' })
  await replaceWebhookSecret(here, 'sandbox', 'whk_1', { secret: 'whsec_2', now })
  await replaceWebhookSecret(here, 'sandbox', 'whk_1', { secret: 'whsec_3', now: now + 60 })
  expect(await validWebhookSecrets(here, 'sandbox', 'whk_1', now + 61)).toEqual(['whsec_3', 'whsec_2'])
})

test('in the credentials file, where the user chose it', async () => {
  const here = stores()
  await here.file.set('live/api-key', 'sk_live_1')
  await here.file.set('live/webhook/whk_9', 'whsec_old')
  await replaceWebhookSecret(here, 'live', 'whk_9', { secret: 'whsec_new', now })
  expect(here.entries.size).toBe(0)
  expect(await validWebhookSecrets(here, 'live', 'whk_9', now)).toEqual(['whsec_new', 'whsec_old'])
  await forgetWebhookSecrets(here, 'live', 'whk_9')
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
  expect(await everyWebhookSecret(here)).toEqual({
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
  expect(await everyWebhookSecret({ ...here, keychain })).toEqual({
    keychain: silent,
    secrets: [{ environment: 'live', subscription: 'whk_2', secret: 'whsec_2' }],
  })
})
