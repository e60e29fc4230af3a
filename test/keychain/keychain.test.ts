import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Machine, machineOf } from '../../src/machine/machine.ts'
import { findApiKey, forgetEnvironment, storeSecret } from '../../src/secrets/credentials.ts'
import { openCredentialsFile } from '../../src/secrets/credentials-file.ts'
import { openKeychain } from '../../src/secrets/keychain.ts'
import { type SecretService, startSecretService, whyNoSecretService } from '../support/secret-service.ts'
import { until } from '../support/until.ts'

const missing = whyNoSecretService()

function machineIn(env: Record<string, string>): Machine {
  return { ...machineOf(process), env }
}

describe.skipIf(missing !== undefined)(
  `the keychain, on a real Secret Service${missing ? `: ${missing}` : ''}`,
  () => {
    let service: SecretService

    beforeEach(async () => {
      service = await startSecretService()
      return () => service.stop()
    })

    test('secret-tool search service bankapi finds a stored key', async () => {
      const keychain = openKeychain(machineIn(service.env))
      await keychain.set('sandbox/api-key', 'sk_test_found')

      const { text, code } = await service.secretTool(['search', 'service', 'bankapi'])

      expect(code).toBe(0)
      expect(text).toContain('secret = sk_test_found')
      expect(text).toContain('attribute.username = sandbox/api-key')
    })

    test('a stored secret is read back unchanged, and is gone after delete', async () => {
      const keychain = openKeychain(machineIn(service.env))
      const secret = 'whsec_ü "quoted" \\ \n end '
      await keychain.set('live/webhook/whk_1', secret)
      expect(await keychain.get('live/webhook/whk_1')).toBe(secret)
      expect(await keychain.list()).toContain('live/webhook/whk_1')

      expect(await keychain.delete('live/webhook/whk_1')).toBe(true)
      expect(await keychain.delete('live/webhook/whk_1')).toBe(false)
      expect(await keychain.get('live/webhook/whk_1')).toBeUndefined()
      expect(await keychain.list()).not.toContain('live/webhook/whk_1')
    })

    test('login, look-up and logout: the key is stored, found, and removed', async () => {
      const machine = machineIn(service.env)
      const stores = {
        keychain: openKeychain(machine),
        file: openCredentialsFile(machine, () => {}),
      }
      await storeSecret(stores, 'live', 'live/api-key', 'sk_live_mine', 'keychain')
      expect(await findApiKey({ ...stores, machine, environment: 'live', mode: 'live' })).toEqual({
        secret: 'sk_live_mine',
        source: 'keychain',
      })

      const forgotten = await forgetEnvironment(stores, 'live')
      expect(forgotten).toEqual({ accounts: ['live/api-key'], keychain: undefined })
      expect((await service.secretTool(['search', '--all', 'service', 'bankapi'])).text).not.toContain(
        'sk_live_mine',
      )
    })

    test('a secret is never in an argument or a variable of the process that asks the keychain', async () => {
      const secret = 'sk_test_nowhere_to_be_seen'
      const env = { ...service.env, BANKAPI_API_KEY: secret, NODE_OPTIONS: '--no-deprecation' }
      // Records what the process is given.
      const program = new URL('fixtures/tells-what-it-got.mjs', import.meta.url)
      const told = join(service.env['HOME'] ?? '', 'told.json')
      const keychain = openKeychain(machineIn({ ...env, TOLD: told }), { program })
      await keychain.set('sandbox/api-key', secret)

      const text = readFileSync(told, 'utf8')
      expect(text).toContain('DBUS_SESSION_BUS_ADDRESS')
      expect(text).not.toContain(secret)
      expect(text).not.toContain('NODE_OPTIONS')
    })

    test('a locked keyring that nobody unlocks is an error, not an empty one', async () => {
      const keychain = openKeychain(machineIn(service.env))
      await keychain.set('sandbox/api-key', 'sk_test_locked')
      await service.lock()

      await expect(keychain.get('sandbox/api-key')).rejects.toMatchObject({
        name: 'KeychainError',
        code: 'locked',
        hint: expect.stringMatching(/BANKAPI_API_KEY.*bankapi login --insecure-storage/),
      })
      await expect(keychain.list()).rejects.toMatchObject({ code: 'locked' })
    })
  },
)

describe.skipIf(process.platform !== 'linux')('an unavailable keychain', () => {
  let folder: string
  let deaf: Server | undefined
  const connections = new Set<Socket>()

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'bankapi-deaf-'))
  })
  afterEach(() => {
    for (const connection of connections) connection.destroy()
    connections.clear()
    deaf?.close()
    deaf = undefined
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  /** A D-Bus that accepts connections and never answers. */
  async function deafBus(): Promise<Record<string, string>> {
    const path = join(folder, 'bus')
    deaf = createServer((connection) => connections.add(connection.on('error', () => {}).resume()))
    await new Promise<void>((resolve) => deaf?.listen(path, resolve))
    return { PATH: process.env['PATH'] ?? '', HOME: folder, DBUS_SESSION_BUS_ADDRESS: `unix:path=${path}` }
  }

  test('no session at all: unavailable at once, and nothing falls back to the kernel keyring', async () => {
    const env = {
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      DBUS_SESSION_BUS_ADDRESS: `unix:path=${folder}/none`,
    }
    const keychain = openKeychain(machineIn(env))
    const answers = await Promise.allSettled([
      keychain.get('sandbox/api-key'),
      keychain.set('sandbox/api-key', 'sk_test_lost'),
      keychain.delete('sandbox/api-key'),
      keychain.list(),
    ])
    for (const answer of answers) {
      // The kernel keyring may fail, too, depending on the machine, so the reason has to be D-Bus.
      expect(answer).toMatchObject({
        status: 'rejected',
        reason: { name: 'KeychainError', code: 'unavailable', message: expect.stringMatching(/dbus|zbus/i) },
      })
    }
    expect(JSON.stringify(answers)).not.toContain('sk_test_lost')
  })

  test('no answer: an error after three seconds that names the two alternatives', async () => {
    const env = await deafBus()
    const started = performance.now()
    await expect(openKeychain(machineIn(env)).get('sandbox/api-key')).rejects.toMatchObject({
      code: 'timeout',
      hint: expect.stringMatching(/BANKAPI_API_KEY.*bankapi login --insecure-storage/),
    })
    const took = performance.now() - started
    expect(took).toBeGreaterThan(2900)
    expect(took).toBeLessThan(4000)
  })

  test('no answer: the process that asked ends by itself and leaves no other behind', async () => {
    const env = await deafBus()
    const child = spawn(process.execPath, [fixture('asks.mjs'), 'get'], { env })
    const { code, took, text } = await outcome(child)

    expect(text).toContain('KeychainError timeout')
    expect(code).toBe(3)
    expect(took).toBeLessThan(4500)
    expect(connections.size).toBeGreaterThan(0)
    await expectAllClosedWithin(1000)
  })

  test('no answer, and the process that asked is killed: the keychain process ends by itself too', async () => {
    const env = await deafBus()
    const child = spawn(process.execPath, [fixture('asks.mjs'), 'get'], { env })
    const connected = new Promise((resolve) => deaf?.once('connection', resolve))
    await connected
    child.kill('SIGKILL')
    await expectAllClosedWithin(8000)
  })

  test('an abort ends the request at once, with its own reason', async () => {
    const env = await deafBus()
    const controller = new AbortController()
    const answer = openKeychain(machineIn(env), { signal: controller.signal }).get('sandbox/api-key')
    const reason = new Error('interrupted')
    deaf?.once('connection', () => controller.abort(reason))
    await expect(answer).rejects.toBe(reason)
  })

  test('with a credentials file, a keychain that hangs is not even asked', async () => {
    const machine = machineIn({ ...(await deafBus()), BANKAPI_CONFIG_DIR: join(folder, 'config') })
    const stores = { keychain: openKeychain(machine), file: openCredentialsFile(machine, () => {}) }
    await storeSecret(stores, 'sandbox', 'sandbox/api-key', 'sk_test_file', 'file')
    const found = await findApiKey({ ...stores, machine, environment: 'sandbox', mode: 'sandbox' })
    expect(found).toEqual({ secret: 'sk_test_file', source: 'file' })
    expect(connections.size).toBe(0)
  })

  /** The bus sees its connections close when the process at their other end is gone. */
  async function expectAllClosedWithin(time: number): Promise<void> {
    await until(() => [...connections].every((one) => one.closed), 'the end of every connection', time)
  }
})

function fixture(name: string): string {
  return new URL(`fixtures/${name}`, import.meta.url).pathname
}

function outcome(
  child: ReturnType<typeof spawn>,
): Promise<{ code: number | null; took: number; text: string }> {
  const started = performance.now()
  let text = ''
  child.stdout?.on('data', (part) => {
    text += part
  })
  child.stderr?.on('data', (part) => {
    text += part
  })
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ code, took: performance.now() - started, text }))
  })
}
