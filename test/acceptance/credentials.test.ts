import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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
