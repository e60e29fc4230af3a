import { expect, test } from 'vitest'
import { testMachine } from '../../../test/support/machine.ts'
import type { CredentialStores } from '../../secrets/credentials.ts'
import type { Keychain } from '../../secrets/keychain.ts'
import { SigningSecrets } from '../../secrets/signing-secrets.ts'
import { explainingSecrets } from './_listener.ts'

test('a keychain that does not answer delays no explanation for long', async () => {
  let answer: (accounts: string[]) => void = () => {}
  const slow: Pick<Keychain, 'get' | 'list'> = {
    list: () => new Promise<string[]>((resolve) => (answer = resolve)),
    get: async () => 'whsec_1',
  }
  const stores = { keychain: slow as Keychain, file: { list: () => [] } } as unknown as CredentialStores
  const signingSecrets = new SigningSecrets({ machine: testMachine(), stores, environment: 'local' })
  const secrets = explainingSecrets({ signingSecrets })
  const started = performance.now()
  expect(await secrets()).toEqual([])
  expect(performance.now() - started).toBeLessThan(1500)
  answer(['live/webhook/whk_1'])
  await expect.poll(secrets).toEqual([{ environment: 'live', subscription: 'whk_1', secret: 'whsec_1' }])
})
