import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import type { Finding } from '../../src/commands/_doctor.ts'
import { createHome } from '../support/cli.ts'
import { emulatorHome } from '../support/emulator-process.ts'

const home = emulatorHome()

/** Runs doctor and returns its checks by name. */
async function diagnose(env: Record<string, string> = {}, args: readonly string[] = [], at = home) {
  const { code, stdout, stderr } = await at.run(['doctor', '--json', ...args], { env })
  const { checks, exit_code } = JSON.parse(stdout) as { checks: Finding[]; exit_code: number }
  expect(exit_code).toBe(code)
  return { code, stderr, byName: Object.fromEntries(checks.map((check) => [check.name, check])) }
}

/** A service that answers every request like this; closed after the test. */
async function service(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v3`
}

const list = JSON.stringify({ data: [], next_cursor: null, has_more: false })

describe('when everything is fine', () => {
  it('every check is ✓ or skipped with a reason, and the exit code is 0', async () => {
    const { code, stdout, stderr } = await home.run(['doctor'])
    expect([code, stderr]).toEqual([0, ''])
    const marks = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.slice(0, 12).trim())
    expect(marks).toEqual([
      ...['✓ node', '✓ settings', '✓ base url', '- keychain', '✓ service'],
      ...['✓ clock', '✓ key', '✓ scopes', '✓ inbox', '✓ emulator'],
    ])
  })

  it('names the scopes that the key lacks', async () => {
    const scopes = ['--scopes', 'read:clients,read:api-keys']
    const { secret } = await home.json<{ secret: string }>(['keys', 'create', ...scopes])
    const { byName } = await diagnose({ BANKAPI_API_KEY: secret })
    expect(byName['scopes']).toMatchObject({
      status: 'ok',
      message: expect.stringMatching(/has 2 of 14 scopes; it lacks .*write:connections/),
    })
  })

  it('a key that may not read its scopes is not a failure', async () => {
    const { secret } = await home.json<{ secret: string }>(['keys', 'create', '--scopes', 'read:clients'])
    const { code, byName } = await diagnose({ BANKAPI_API_KEY: secret })
    expect([code, byName['scopes']?.status]).toEqual([0, 'skipped'])
  })

  it('never prints the key', async () => {
    const { stdout } = await home.run(['doctor'])
    expect(stdout).not.toContain(home.sandbox.api_key)
  })
})

describe('the exit code is that of the first ✗, as of another command with this failure', () => {
  it('2: unusable settings; the checks that need them are skipped', async () => {
    const { code, byName } = await diagnose({}, ['--env', 'production'])
    expect([code, byName['settings']?.status, byName['key']?.status]).toEqual([2, 'failed', 'skipped'])
  })

  it('2: an inbox that cannot be written', async () => {
    const data = join(home.folder, 'a-file')
    writeFileSync(data, '')
    const { code, byName } = await diagnose({
      BANKAPI_DATA_DIR: data,
      BANKAPI_BASE_URL: home.sandbox.base_url,
      BANKAPI_API_KEY: home.sandbox.api_key,
    })
    expect([code, byName['key']?.status, byName['inbox']?.status]).toEqual([2, 'ok', 'failed'])
  })

  it('3: an unknown key, with what to do', async () => {
    const { code, byName } = await diagnose({ BANKAPI_API_KEY: 'sk_test_unknown0' })
    expect(code).toBe(3)
    expect(byName['key']).toMatchObject({ status: 'failed', hint: expect.stringContaining('bankapi login') })
    expect(byName['service']?.status).toBe('ok')
  })

  it('11: the address cannot be reached', async () => {
    const env = { BANKAPI_BASE_URL: 'http://127.0.0.1:1/v3', BANKAPI_API_KEY: 'sk_test_1' }
    const { code, byName } = await diagnose(env)
    expect([code, byName['service']?.status, byName['key']?.status]).toEqual([11, 'failed', 'skipped'])
  })

  it('11: no emulator runs, with the command that starts one', async () => {
    const alone = createHome({ env: { BANKAPI_ENV: 'local' } })
    const { code, stdout } = await alone.run(['doctor'])
    expect(code).toBe(11)
    expect(stdout).toMatch(/✗ base url .*\n.*bankapi emulator start/)
  })

  it('12: a clock so wrong that no signature would verify; a smaller error is a warning', async () => {
    const at = (seconds: number) =>
      service((_request, response) => {
        response.setHeader('Date', new Date(Date.now() - seconds * 1000).toUTCString()).end(list)
      })
    const key = { BANKAPI_API_KEY: 'sk_test_1' }
    const hour = await diagnose({ ...key, BANKAPI_BASE_URL: await at(3600) })
    expect([hour.code, hour.byName['clock']?.status]).toEqual([12, 'failed'])
    expect(hour.byName['clock']?.message).toMatch(/3600 s ahead|360\d s ahead|3599 s ahead/)
    const minutes = await diagnose({ ...key, BANKAPI_BASE_URL: await at(-120) })
    expect([minutes.code, minutes.byName['clock']?.status]).toEqual([0, 'warning'])
    expect(minutes.byName['clock']?.message).toMatch(/behind/)
  })
})

it('a service without the assumed health path counts as reachable', async () => {
  const base = await service((request, response) => {
    if (request.url?.startsWith('/v3/clients')) response.end(list)
    else response.writeHead(404).end('{}')
  })
  const { code, byName } = await diagnose({ BANKAPI_BASE_URL: base, BANKAPI_API_KEY: 'sk_test_1' })
  expect([code, byName['service']?.status]).toEqual([0, 'ok'])
})

it('unknown keys in the settings are a warning', async () => {
  const config = join(home.folder, 'other-config')
  mkdirSync(config, { mode: 0o700 })
  writeFileSync(join(config, 'settings.json'), '{"colour":"red"}')
  chmodSync(join(config, 'settings.json'), 0o600)
  const { code, byName } = await diagnose({ BANKAPI_CONFIG_DIR: config })
  expect([code, byName['settings']?.status]).toEqual([0, 'warning'])
  expect(byName['settings']?.message).toContain('colour')
})

describe('--updates', () => {
  const registry = async (answer: RequestListener): Promise<Record<string, string>> => ({
    NPM_CONFIG_REGISTRY: (await service(answer)).replace(/v3$/, 'npm/'),
  })
  const publishes = (version: unknown) =>
    registry((_request, response) => response.end(JSON.stringify({ version })))
  const updates = async (env: Record<string, string>) => {
    const { code, byName } = await diagnose(env, ['--updates'])
    expect(code).toBe(0)
    return byName['updates']
  }

  it('says which version is newer and how to get it, and only when asked', async () => {
    const asked: (string | undefined)[] = []
    const env = await registry((request, response) => {
      asked.push(request.url)
      response.end('{"version":"9.10.0"}')
    })
    expect((await diagnose(env)).byName['updates']).toBeUndefined()
    expect(asked).toEqual([])
    expect(await updates(env)).toMatchObject({
      status: 'warning',
      message: expect.stringContaining('bankapi 9.10.0 is out; this is 0.'),
      hint: 'Install it: npm install -g bankapi@9.10.0',
    })
    expect(asked).toEqual(['/npm/bankapi/latest'])
  })

  it('the same or an older one is fine', async () => {
    expect(await updates(await publishes(manifest.version))).toMatchObject({ status: 'ok' })
    expect(await updates(await publishes('0.0.9'))).toMatchObject({ status: 'ok' })
  })

  it('without a network, without an answer or with a strange one it is a sentence, and no failure', async () => {
    const skipped = async (env: Record<string, string>, sentence: string) =>
      expect(await updates(env)).toMatchObject({
        status: 'skipped',
        message: expect.stringContaining(sentence),
        hint: null,
      })
    await skipped({ NPM_CONFIG_REGISTRY: 'http://127.0.0.1:1' }, 'the connection was refused')
    await skipped({ NPM_CONFIG_REGISTRY: 'http://registry.example' }, 'not the https address')
    const unknown = 'names no newest version of bankapi'
    await skipped(await registry((_request, response) => response.writeHead(404).end('{}')), unknown)
    await skipped(await registry((_request, response) => response.end('<html>')), unknown)
    await skipped(await publishes('9.0.0\u001b[2J'), unknown)
    await skipped(await registry((request) => request.socket.destroy()), 'closed the connection')
  })

  it('goes through the proxy of HTTPS_PROXY', async () => {
    const heard: string[] = []
    const proxy = createTcpServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', (bytes) => {
        heard.push(bytes.toString().split('\r\n', 1)[0] ?? '')
        socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n')
      })
    })
    onTestFinished(() => void proxy.close())
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    const HTTPS_PROXY = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
    const found = await updates({ HTTPS_PROXY, NPM_CONFIG_REGISTRY: 'https://registry.example' })
    expect(heard).toEqual(['CONNECT registry.example:443 HTTP/1.1'])
    expect(found).toMatchObject({ status: 'skipped', message: expect.stringContaining('proxy') })
  })
})
