import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder, testMachine } from '../../test/support/machine.ts'
import type { Mode } from '../config/environments.ts'
import {
  chosenStore,
  findApiKey,
  findPortalSecret,
  forgetEnvironment,
  forgetSecret,
  storeSecret,
} from './credentials.ts'
import { openCredentialsFile } from './credentials-file.ts'
import { KeychainError } from './errors.ts'
import type { Keychain } from './keychain.ts'
import { redacted } from './redaction.ts'

/** A keychain in memory; the real one has its tests in test/keychain. */
function memoryKeychain(content: Record<string, string> = {}): Keychain & { asked: string[] } {
  const secrets = new Map(Object.entries(content))
  const asked: string[] = []
  return {
    asked,
    async get(account) {
      asked.push(account)
      return secrets.get(account)
    },
    async set(account, secret) {
      secrets.set(account, secret)
    },
    delete: async (account) => secrets.delete(account),
    list: async () => [...secrets.keys()].sort(),
  }
}

function silentKeychain(): Keychain {
  const fail = async (): Promise<never> => {
    throw new KeychainError('timeout', 'no answer')
  }
  return { get: fail, set: fail, delete: fail, list: fail }
}

function setUp(env: Record<string, string> = {}, keychain: Keychain = memoryKeychain()) {
  const machine = testMachine({ BANKAPI_CONFIG_DIR: temporaryFolder(), ...env })
  const warnings: string[] = []
  return { machine, keychain, file: openCredentialsFile(machine, (text) => warnings.push(text)), warnings }
}

/** One of the three environments, whose mode is its name. */
const named = (mode: Mode) => ({ environment: mode, mode })

const emulator = {
  pid: 1,
  started_at: '2026-01-02T03:04:05Z',
  sandbox: { base_url: 'http://127.0.0.1:4010/v3', api_key: 'sk_test_demo', portal_secret: 'portal_test' },
  live: { base_url: 'http://127.0.0.1:4011/v3', api_key: 'sk_live_demo', portal_secret: 'portal_live' },
  control_url: 'http://127.0.0.1:4010/_emulator/',
}

describe('the API key', () => {
  test('BANKAPI_API_KEY comes first, and the keychain is not asked', async () => {
    const keychain = memoryKeychain({ 'sandbox/api-key': 'sk_test_chain' })
    const found = await findApiKey({
      ...setUp({ BANKAPI_API_KEY: ' sk_test_variable\n' }, keychain),
      ...named('sandbox'),
    })
    expect(found).toEqual({ secret: 'sk_test_variable', source: 'environment' })
    expect(keychain.asked).toEqual([])
  })

  test('then the keychain, for this environment only', async () => {
    const all = setUp(
      {},
      memoryKeychain({ 'sandbox/api-key': 'sk_test_chain', 'live/api-key': 'sk_live_chain' }),
    )
    expect(await findApiKey({ ...all, ...named('live') })).toEqual({
      secret: 'sk_live_chain',
      source: 'keychain',
    })
  })

  test('the file only where the user chose it; a keychain that hangs is then not asked', async () => {
    const all = setUp({}, silentKeychain())
    await expect(findApiKey({ ...all, ...named('sandbox') })).rejects.toBeInstanceOf(KeychainError)
    await storeSecret(all, 'sandbox', 'sandbox/api-key', 'sk_test_file', 'file')
    expect(await findApiKey({ ...all, ...named('sandbox') })).toEqual({
      secret: 'sk_test_file',
      source: 'file',
    })
    await expect(findApiKey({ ...all, ...named('live') })).rejects.toBeInstanceOf(KeychainError)
  })

  test('none: the error says what to run', async () => {
    await expect(findApiKey({ ...setUp(), ...named('live') })).rejects.toMatchObject({
      name: 'CredentialError',
      code: 'missing',
      hint: expect.stringMatching(/bankapi login --env live.*BANKAPI_API_KEY/),
    })
  })

  test.each([
    ['sandbox', 'sk_live_wrong'],
    ['live', 'sk_test_wrong'],
    ['local', 'sk_live_wrong'],
    ['sandbox', 'pk_test_wrong'],
    ['live', 'live_wrong'],
  ] as const)(
    '%s refuses a key with another prefix, and does not repeat it: %s',
    async (environment, key) => {
      const error = await findApiKey({ ...setUp({ BANKAPI_API_KEY: key }), ...named(environment) }).catch(
        (e: unknown) => e,
      )
      expect(error).toMatchObject({ name: 'CredentialError', code: 'wrong_environment' })
      expect(JSON.stringify(error) + String(error)).not.toContain(key)
    },
  )

  test('a stored key is held to the same rule', async () => {
    const all = setUp({}, memoryKeychain({ 'live/api-key': 'sk_test_chain' }))
    await expect(findApiKey({ ...all, ...named('live') })).rejects.toMatchObject({
      code: 'wrong_environment',
    })
  })

  test.each(['sk_test_a b', 'sk_test_a\nX-Evil: 1', 'sk_test_ü'])('no header is made of %j', async (key) => {
    await expect(
      findApiKey({ ...setUp({ BANKAPI_API_KEY: key }), ...named('sandbox') }),
    ).rejects.toMatchObject({ code: 'malformed' })
  })
})

describe("local: a running emulator's keys", () => {
  const local = { ...named('local'), emulator } as const

  test('need no login, and each base has its own', async () => {
    const all = setUp({}, silentKeychain())
    expect(await findApiKey({ ...all, ...local, baseUrl: 'http://127.0.0.1:4010/v3' })).toEqual({
      secret: 'sk_test_demo',
      source: 'emulator',
    })
    expect(await findApiKey({ ...all, ...local, baseUrl: 'http://localhost:4011/v3' })).toEqual({
      secret: 'sk_live_demo',
      source: 'emulator',
    })
    expect(await findPortalSecret({ ...all, ...local, baseUrl: 'http://127.0.0.1:4011/v3' })).toEqual({
      secret: 'portal_live',
      source: 'emulator',
    })
  })

  test('go to the emulator only', async () => {
    for (const baseUrl of ['http://127.0.0.1:9999/v3', 'https://evil.example:4010/v3']) {
      await expect(findApiKey({ ...setUp(), ...local, baseUrl })).rejects.toMatchObject({ code: 'missing' })
    }
    await expect(
      findApiKey({ ...setUp(), emulator, ...named('sandbox'), baseUrl: emulator.sandbox.base_url }),
    ).rejects.toMatchObject({ code: 'missing' })
  })

  test('are of no use without an emulator or an address; the error says how to start one', async () => {
    for (const lookup of [
      { ...named('local'), baseUrl: emulator.sandbox.base_url },
      { ...named('local'), emulator },
    ] as const) {
      await expect(findApiKey({ ...setUp(), ...lookup })).rejects.toMatchObject({
        code: 'missing',
        hint: expect.stringContaining('bankapi emulator start'),
      })
    }
  })

  test("a live key fits the emulator's live base, and a test key does not", async () => {
    const baseUrl = emulator.live.base_url
    expect((await findApiKey({ ...setUp({ BANKAPI_API_KEY: 'sk_live_x' }), ...local, baseUrl })).secret).toBe(
      'sk_live_x',
    )
    await expect(
      findApiKey({ ...setUp({ BANKAPI_API_KEY: 'sk_test_x' }), ...local, baseUrl }),
    ).rejects.toMatchObject({ code: 'wrong_environment' })
  })
})

test('the portal secret: BANKAPI_PORTAL_SECRET, then the stores, then an error that says what to run', async () => {
  const keychain = memoryKeychain({ 'live/portal-secret': 'chain' })
  expect(
    await findPortalSecret({ ...setUp({ BANKAPI_PORTAL_SECRET: 'v' }, keychain), ...named('live') }),
  ).toEqual({ secret: 'v', source: 'environment' })
  expect(await findPortalSecret({ ...setUp({}, keychain), ...named('live') })).toEqual({
    secret: 'chain',
    source: 'keychain',
  })
  await expect(findPortalSecret({ ...setUp(), ...named('live') })).rejects.toMatchObject({
    code: 'missing',
    hint: expect.stringContaining('BANKAPI_PORTAL_SECRET'),
  })
})

test('a portal secret with a space in it is refused, and not repeated', async () => {
  const lookup = { ...setUp({ BANKAPI_PORTAL_SECRET: 'half a secret' }), ...named('live') } as const
  await expect(findPortalSecret(lookup)).rejects.toMatchObject({
    code: 'malformed',
    message: expect.stringMatching(/^BANKAPI_PORTAL_SECRET has (?!.*half a secret)/),
  })
})

describe('storing and forgetting', () => {
  test('a secret that is stored is kept out of every line', async () => {
    await storeSecret(setUp(), 'live', 'live/portal-secret', 'formless secret', 'keychain')
    expect(redacted('it is formless secret')).toBe('it is …')
  })

  test('storing in the keychain takes the choice of the file back, and loses nothing it held', async () => {
    const all = setUp()
    await storeSecret(all, 'live', 'live/api-key', 'sk_live_old', 'file')
    await storeSecret(all, 'live', 'live/webhook/whk_1', 'hook', 'file')
    await storeSecret(all, 'sandbox', 'sandbox/api-key', 'sk_test_file', 'file')
    expect(chosenStore(all, 'live')).toBe('file')

    await storeSecret(all, 'live', 'live/api-key', 'sk_live_new', 'keychain')
    expect(chosenStore(all, 'live')).toBe('keychain')
    expect(chosenStore(all, 'sandbox')).toBe('file')
    expect((await findApiKey({ ...all, ...named('live') })).secret).toBe('sk_live_new')
    expect(await all.keychain.get('live/webhook/whk_1')).toBe('hook')
    expect(all.file.list()).toEqual(['sandbox/api-key'])
  })

  test('a keychain that does not answer never turns into the file', async () => {
    const all = setUp({}, silentKeychain())
    await expect(storeSecret(all, 'live', 'live/api-key', 'sk_live_x', 'keychain')).rejects.toBeInstanceOf(
      KeychainError,
    )
    expect(existsSync(all.file.path)).toBe(false)
  })

  test('logout forgets all of one environment, in both places, and nothing else', async () => {
    const keychain = memoryKeychain({ 'live/portal-secret': 'p', 'sandbox/api-key': 'sk_test_keep' })
    const all = setUp({}, keychain)
    await storeSecret(all, 'live', 'live/api-key', 'sk_live_x', 'file')
    expect(await forgetEnvironment(all, 'live')).toEqual({
      accounts: ['live/api-key', 'live/portal-secret'],
      keychain: undefined,
    })
    expect(await keychain.list()).toEqual(['sandbox/api-key'])
    expect(existsSync(all.file.path)).toBe(false)
  })

  test('logout lists what it forgot in order, whichever store had it; a fault is thrown', async () => {
    const keychain = memoryKeychain({ 'live/api-key': 'sk_live_1', 'live/webhook/whk_1': 'hook' })
    const all = setUp({}, { ...keychain, delete: async (account) => account === 'live/api-key' })
    await storeSecret(all, 'live', 'live/portal-secret', 'p', 'file')
    const { accounts } = await forgetEnvironment(all, 'live')
    expect(accounts).toEqual(['live/api-key', 'live/portal-secret'])

    await storeSecret(all, 'live', 'live/portal-secret', 'p', 'file')
    const broken = { ...keychain, list: () => Promise.reject(new TypeError('a fault')) }
    await expect(forgetEnvironment({ ...all, keychain: broken }, 'live')).rejects.toThrow(TypeError)
  })

  test('logout where the file was chosen: a silent keychain is reported; otherwise it is the error', async () => {
    const all = setUp({}, silentKeychain())
    await expect(forgetEnvironment(all, 'live')).rejects.toBeInstanceOf(KeychainError)
    await storeSecret(all, 'live', 'live/api-key', 'sk_live_x', 'file')
    expect(await forgetEnvironment(all, 'live')).toMatchObject({
      accounts: ['live/api-key'],
      keychain: { code: 'timeout' },
    })
  })

  test('of two that forget one secret of the file, one did; without a file there is no folder', async () => {
    const folder = join(temporaryFolder(), 'none-yet')
    const all = setUp({ BANKAPI_CONFIG_DIR: folder })
    expect(await all.file.delete('live/api-key')).toBe(false)
    expect(existsSync(folder)).toBe(false)
    for (const name of ['b', 'a', 'c']) await all.file.set(`live/${name}`, name)
    expect(all.file.list()).toEqual(['live/a', 'live/b', 'live/c'])
    const both = ['live/b', 'live/b'].map((account) => forgetSecret(all, 'live', account))
    expect((await Promise.all(both)).sort()).toEqual([false, true])
    expect(all.file.list()).toEqual(['live/a', 'live/c'])
  })

  test('one secret is forgotten where it is kept', async () => {
    const all = setUp({}, memoryKeychain({ 'live/webhook/whk_1': 'hook' }))
    expect(await forgetSecret(all, 'live', 'live/webhook/whk_1')).toBe(true)
    expect(await forgetSecret(all, 'live', 'live/webhook/whk_1')).toBe(false)
  })
})

describe('the credentials file', () => {
  test('is 0600, and refused when others can read it, as ssh does', async () => {
    const { file } = setUp()
    await file.set('live/api-key', 'sk_live_x')
    expect(statSync(file.path).mode & 0o777).toBe(0o600)
    chmodSync(file.path, 0o640)
    expect(() => file.get('live/api-key')).toThrow(
      expect.objectContaining({ code: 'unsafe_file', hint: expect.stringContaining('chmod 600') }),
    )
    expect(() => file.isChosen('live')).toThrow()
  })

  test('damaged: an error that does not repeat it; storing again keeps it aside', async () => {
    const { file, warnings } = setUp()
    for (const text of ['{"live/api-key":"sk_live_half', '{"live":{"api-key":"sk_live_half"}}', '[]', '']) {
      writeFileSync(file.path, text, { mode: 0o600 })
      expect(() => file.get('live/api-key')).toThrow(
        expect.objectContaining({
          code: 'unreadable',
          exit: 'notAuthenticated',
          message: expect.not.stringContaining('sk_live_half'),
          hint: expect.stringContaining('bankapi login --insecure-storage'),
        }),
      )
      const aside = `${file.path}.corrupt-20260102T030405Z${warnings.length === 0 ? '' : `-${warnings.length + 1}`}`
      await file.set('live/api-key', 'sk_live_new')
      expect(file.get('live/api-key')).toBe('sk_live_new')
      expect(file.list()).toEqual(['live/api-key'])
      expect(readFileSync(aside, 'utf8')).toBe(text)
      expect(statSync(aside).mode & 0o777).toBe(0o600)
    }
    expect(warnings).toHaveLength(4)
  })

  test('names of Object.prototype are no accounts', () => {
    expect(setUp().file.get('constructor')).toBeUndefined()
  })
})
