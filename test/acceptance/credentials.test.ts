import { execFileSync } from 'node:child_process'
import { chmodSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import manifest from '../../oclif.manifest.json' with { type: 'json' }
import { createHome, type Home } from '../support/cli.ts'
import { emulatorHome } from '../support/emulator-process.ts'
import { type SecretService, startSecretService, whyNoSecretService } from '../support/secret-service.ts'

const emulator = emulatorHome()

/** A home that uses the emulator's sandbox base as its sandbox, without its keys. */
function sandboxHome(env: Record<string, string> = {}): Home {
  return createHome({ env: { BANKAPI_BASE_URL: emulator.sandbox.base_url, ...env } })
}

const filesUnder = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

const missing = whyNoSecretService()

describe.skipIf(missing !== undefined)(`login with a keychain${missing ? `: ${missing}` : ''}`, () => {
  let service: SecretService

  beforeAll(async () => {
    service = await startSecretService()
  })
  afterAll(() => service.stop())

  it('stores the key where secret-tool finds it, uses it, and removes it again', async () => {
    const home = sandboxHome(service.env)
    const key = emulator.sandbox.api_key
    const login = await home.run(['login', '--env', 'sandbox', '--key-stdin', '--json'], {
      input: `${key}\n`,
    })
    expect(login.code, login.stderr).toBe(0)
    expect(JSON.parse(login.stdout)).toMatchObject({
      stored: 'api_key',
      stored_in: 'keychain',
      checked: true,
    })

    const found = await service.secretTool(['search', 'service', 'bankapi'])
    expect(found.text).toContain(`secret = ${key}`)

    expect(await home.json(['whoami'])).toMatchObject({
      environment: 'sandbox',
      key_source: 'keychain',
      key_prefix: `${key.slice(0, 12)}…`,
      accepted: true,
    })
    expect(
      (await home.json<{ data: object[] }>(['connections', 'list', '--client', 'cli_demo'])).data,
    ).toHaveLength(3)
    for (const file of filesUnder(home.folder)) expect(readFileSync(file, 'latin1'), file).not.toContain(key)

    expect(await home.json(['logout', '--yes'])).toMatchObject({ forgotten: ['sandbox/api-key'] })
    expect((await service.secretTool(['search', 'service', 'bankapi'])).text).not.toContain(key)
    expect((await home.run(['whoami'])).code).toBe(3)
  })

  it("keeps a subscription's signing secret in the keychain, and listen finds it there", async () => {
    const home = sandboxHome({ ...service.env, BANKAPI_API_KEY: emulator.sandbox.api_key })
    const created = await home.run(['webhooks', 'create', '--url', 'http://127.0.0.1:9/', '--json'])
    expect(created.code, created.stderr).toBe(0)
    expect(created.stdout + created.stderr).not.toContain('whsec_')
    const { id } = JSON.parse(created.stdout) as { id: string }
    expect((await service.secretTool(['search', 'service', 'bankapi'])).text).toContain(
      `sandbox/webhook/${id}`,
    )
    const listener = home.start(['webhooks', 'listen', '--port', '0', '--subscription', id, '--json'])
    expect(JSON.parse(await listener.line())).toMatchObject({ ready: true, subscription_id: id })
    listener.process.kill('SIGINT')
    await listener.ended
    expect((await home.run(['webhooks', 'delete', id, '--yes'])).code).toBe(0)
    expect((await service.secretTool(['search', 'service', 'bankapi'])).text).not.toContain(id)
  })
})

describe('login without a keychain', () => {
  const noKeychain = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent' }

  it('is an error that names the other two ways, and stores nothing', async () => {
    const home = sandboxHome(noKeychain)
    const { code, stderr } = await home.run(['login', '--key-stdin'], { input: emulator.sandbox.api_key })
    expect(code).toBe(3)
    expect(stderr).toContain('BANKAPI_API_KEY')
    expect(stderr).toContain('--insecure-storage')
    expect(filesUnder(home.folder).filter((file) => file.includes('credentials'))).toEqual([])
  })

  it('keeps the key in a file that only its owner can read when asked to', async () => {
    const home = sandboxHome(noKeychain)
    const key = emulator.sandbox.api_key
    const login = await home.run(['login', '--key-stdin', '--insecure-storage'], { input: key })
    expect(login.code, login.stderr).toBe(0)
    const holding = filesUnder(home.folder).filter((file) => readFileSync(file, 'latin1').includes(key))
    expect(holding).toHaveLength(1)
    expect(statSync(holding[0] ?? '').mode & 0o777).toBe(0o600)
    expect(await home.json(['whoami'])).toMatchObject({ key_source: 'file', accepted: true })
  })

  it('works with the key in the environment, as in CI', async () => {
    const home = sandboxHome({ ...noKeychain, CI: 'true', BANKAPI_API_KEY: emulator.sandbox.api_key })
    expect(await home.json(['whoami'])).toMatchObject({ key_source: 'environment', accepted: true })
  })
})

describe('a key', () => {
  it('that the service does not know is not stored (exit 3)', async () => {
    const home = sandboxHome()
    const login = await home.run(['login', '--key-stdin', '--insecure-storage'], { input: 'sk_test_unknown' })
    expect(login.code).toBe(3)
    expect(login.stderr).toContain('unknown_api_key')
    expect((await home.run(['whoami'])).code).toBe(3)
  })

  it('of another environment is refused before anything is sent (exit 2)', async () => {
    let requests = 0
    const server = createServer((_request, response) => {
      requests++
      response.end('{}')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v3`
    const home = createHome({ env: { BANKAPI_BASE_URL: base, BANKAPI_API_KEY: 'sk_live_0123456789' } })
    const { code, stderr } = await home.run(['clients', 'list', '--env', 'sandbox'])
    expect(code).toBe(2)
    expect(stderr).toContain('live key')
    expect(stderr).not.toContain('0123456789')
    expect(requests).toBe(0)
    server.close()
  })

  it('is never an argument: login has no flag that takes it', async () => {
    const { stdout } = await createHome().run(['login', '--help'])
    expect(stdout).toContain('--key-stdin')
    expect(stdout).not.toMatch(/--(api-)?key(=| <)/)
    expect(manifest.commands.login.args).toEqual({})
    // Nor does any other command: its flags that are named like a secret take no value.
    const flags = Object.values(manifest.commands).flatMap(({ flags }): { name: string; type: string }[] =>
      Object.values(flags),
    )
    const taking = flags.filter(
      ({ name, type }) => type !== 'boolean' && /key|secret|token|passw|credential/.test(name),
    )
    expect([...new Set(taking.map(({ name }) => name))].sort()).toEqual([
      'challenge-token',
      'idempotency-key',
    ])
  })

  it('is neither in the process list nor in --debug while a command runs', async () => {
    const key = emulator.sandbox.api_key
    const home = sandboxHome({ BANKAPI_API_KEY: key })
    const refresh = home.start(['connections', 'refresh', 'con_FDE_123', '--wait', '--debug'])
    const processes: string[] = []
    const watch = setInterval(
      () => processes.push(execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })),
      50,
    )
    const { code, stdout, stderr } = await refresh.ended
    clearInterval(watch)
    expect(code, stderr).toBe(0)
    expect(processes.join('\n')).toContain('connections refresh')
    expect(processes.join('\n')).not.toContain(key)
    expect(stderr).toMatch(/POST .*\/v3\/connections\/con_FDE_123\/refresh/)
    expect(stderr + stdout).not.toContain(key)
  })
})

describe('a stored secret and another address', () => {
  const key = 'sk_live_0123456789abcdef'
  const bank = 'https://api.example.com/v3'
  const received: string[] = []
  const server = createServer((request, response) => {
    received.push(JSON.stringify(request.headers))
    response
      .setHeader('content-type', 'application/json')
      .end('{"data":[],"has_more":false,"next_cursor":null}')
  })
  let elsewhere: string

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    elsewhere = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v3`
  })
  afterAll(() => void server.close())
  beforeEach(() => void received.splice(0))

  /** A home with a live key or portal secret, stored for the bank's address. */
  async function loggedIn(...more: string[]): Promise<Home> {
    const home = createHome()
    const login = [
      'login',
      '--env',
      'live',
      '--base-url',
      bank,
      '--offline',
      '--key-stdin',
      '--insecure-storage',
    ]
    const { code, stdout } = await home.run([...login, ...more], { input: key })
    expect([code, stdout]).toEqual([0, expect.stringContaining(`for live at ${bank} stored in a file`)])
    return home
  }

  it('in BANKAPI_BASE_URL, --base-url or changed settings: nothing is sent (exit 2)', async () => {
    const home = await loggedIn()
    const refused = {
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(`belongs to ${bank}[\\s\\S]*other_address`),
    }
    const list = ['clients', 'list', '--env', 'live']
    expect(await home.run(list, { env: { BANKAPI_BASE_URL: elsewhere } })).toEqual(refused)
    expect(await home.run([...list, '--base-url', elsewhere])).toEqual(refused)
    expect((await home.run(['config', 'set', 'environments.live.base_url', elsewhere])).code).toBe(0)
    expect(await home.run(list)).toEqual(refused)
    expect(received).toEqual([])
  })

  it('is accepted for a key that comes with the command, in BANKAPI_API_KEY', async () => {
    const home = await loggedIn()
    const list = ['clients', 'list', '--env', 'live']
    const env = { BANKAPI_API_KEY: key }
    expect((await home.run(list, { env: { ...env, BANKAPI_BASE_URL: elsewhere } })).code).toBe(0)
    expect((await home.run([...list, '--base-url', elsewhere], { env })).code).toBe(0)
    expect(received).toHaveLength(2)
  })

  it('is refused for the portal secret as well (exit 2)', async () => {
    const home = await loggedIn('--portal')
    const env = { BANKAPI_BASE_URL: elsewhere }
    const { code, stderr } = await home.run(
      ['portal', 'access-request', 'status', '--idp-user-id', 'usr_9', '--env', 'live'],
      { env },
    )
    expect([code, stderr]).toEqual([2, expect.stringContaining('live/portal-secret belongs to')])
    expect(received).toEqual([])
  })

  it('is refused for a key that an earlier version stored, which is bound to the settings (exit 2)', async () => {
    const home = await loggedIn()
    const bindings = join(home.folder, 'config', 'addresses.json')
    rmSync(bindings)
    const list = ['clients', 'list', '--env', 'live']
    expect((await home.run(list, { env: { BANKAPI_BASE_URL: elsewhere } })).code).toBe(2)
    expect(JSON.parse(readFileSync(bindings, 'utf8'))).toEqual({ 'live/api-key': bank })
    expect(received).toEqual([])
  })

  it('that is the one of the other mode: nothing is sent, whatever the key (exit 2)', async () => {
    const home = createHome({ env: { BANKAPI_API_KEY: key } })
    for (const name of ['sandbox', 'live']) {
      expect((await home.run(['config', 'set', `environments.${name}.base_url`, elsewhere])).code).toBe(0)
    }
    const { code, stderr } = await home.run(['clients', 'list', '--env', 'live'])
    expect([code, stderr]).toEqual([2, expect.stringContaining('shared_address')])
    expect((await home.run(['doctor', '--env', 'live'])).stdout).toContain('is the address of sandbox')
    expect(received).toEqual([])
  })

  it('is shown by whoami and doctor: the address that the key is bound to', async () => {
    const home = createHome()
    const login = ['login', '--env', 'live', '--base-url', elsewhere, '--key-stdin', '--insecure-storage']
    expect((await home.run(login, { input: key })).code).toBe(0)
    expect(await home.json(['whoami', '--env', 'live'])).toMatchObject({
      key_source: 'file',
      key_base_url: elsewhere,
    })
    expect((await home.run(['doctor', '--env', 'live'])).stdout).toContain(`(file, bound to ${elsewhere})`)
    const given = { env: { BANKAPI_API_KEY: key } }
    expect(await home.json(['whoami', '--env', 'live'], given)).toMatchObject({ key_base_url: null })
  })
})

it('a config folder that others can write: its key is not read, and nothing is sent (exit 2)', async () => {
  const home = sandboxHome()
  const login = ['login', '--key-stdin', '--insecure-storage']
  expect((await home.run(login, { input: emulator.sandbox.api_key })).code).toBe(0)
  chmodSync(join(home.folder, 'config'), 0o777)
  const { code, stderr } = await home.run(['clients', 'list', '--debug'])
  expect([code, stderr]).toEqual([2, expect.stringContaining('unsafe_folder')])
  expect(stderr).not.toContain('-->')
})
