import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { createHome, type Home } from '../support/cli.ts'

const home = createHome({ keep: true })
afterAll(() => home.remove())

test('prints the document as JSON, without a key, an environment or a request', async () => {
  const { code, stdout, stderr } = await home.run(['openapi'])
  expect([code, stderr]).toEqual([0, ''])
  const document = JSON.parse(stdout)
  expect(document.openapi).toBe('3.1.1')
  expect(document.paths['/accounts'].get.operationId).toBe('accounts_list')
})

test('--yaml prints the same document, which is docs/openapi.yaml', async () => {
  const { stdout } = await home.run(['openapi', '--yaml'])
  expect(stdout).toBe(readFileSync(new URL('../../docs/openapi.yaml', import.meta.url), 'utf8'))
  expect(parse(stdout)).toEqual(JSON.parse((await home.run(['openapi'])).stdout))
})

test('every reader of YAML takes its dates for text', async () => {
  const { stdout } = await home.run(['openapi', '-o', 'yaml'])
  expect(parse(stdout, { version: '1.1' })).toEqual(parse(stdout))
})

test('--version 3.2 prints that version, and another is refused', async () => {
  const { stdout } = await home.run(['openapi', '--version', '3.2', '--jq', '.openapi'])
  expect(stdout).toBe('3.2.0\n')
  expect((await home.run(['openapi', '--version', '2.0'])).code).toBe(2)
})

test('--server gives the addresses, without a slash at their end', async () => {
  const local = 'http://127.0.0.1:4010/v3'
  const { stdout } = await home.run(['openapi', '--server', local, '--jq', '.servers[].url'])
  expect(stdout).toBe(`${local}\n`)
  const slashes = ['--server', 'http://x/v3/', '--server', 'https://y/v3//']
  const trimmed = await home.run(['openapi', ...slashes, '--jq', '.servers[].url'])
  expect(trimmed.stdout).toBe('http://x/v3\nhttps://y/v3\n')
})

test.each([
  ['x/v3', 'is not a URL'],
  ['file:///etc', 'is neither https nor http'],
  ['https://ada:hunter2@x/v3', 'has a user name or password in it'],
  ['https://x/v3?key=hunter2', 'has a query or fragment'],
  ['https://x/v3?', 'has a query or fragment'],
  ['https://x/v3#hunter2', 'has a query or fragment'],
])('--server %s is refused and not repeated: %s', async (address, reason) => {
  const { code, stdout, stderr } = await home.run([
    ...['openapi', '--server', 'https://y/v3'],
    ...['--server', address],
  ])
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toContain(`An address of --server ${reason}`)
  expect(stderr).not.toContain(address)
})

const writeSettings = (own: Home, settings: object) => {
  mkdirSync(join(own.folder, 'config'), { recursive: true, mode: 0o700 })
  writeFileSync(join(own.folder, 'config/settings.json'), JSON.stringify(settings), { mode: 0o600 })
}

test('an operation that there is not, and a dotted key, are no methods and paths of the settings', async () => {
  const own = createHome()
  const endpoints = { 'nope.nope': 'GET /x', nope: { nope: 'GET /x' }, 'health.check': 'GET /up' }
  writeSettings(own, { endpoints })
  const none = await own.run(['openapi'])
  expect([none.code, none.stderr]).toEqual([0, ''])
  expect(none.stdout).not.toContain('"/up"')
  writeSettings(own, { endpoints: { ...endpoints, health: { check: 'GET /here' } } })
  const { stdout, stderr } = await own.run(['openapi'])
  expect(stderr).toBe('With methods and paths of your settings: health.check\n')
  expect(stdout).toContain('"/here"')
})

test('methods and paths of the settings are in it, those of an environment before those of all', async () => {
  const own = createHome()
  await own.json(['config', 'profile', 'add', 'acme', '--mode', 'sandbox'])
  await own.json(['config', 'set', 'endpoints.health.check', 'GET {root}/up'])
  await own.json(['config', 'set', 'environments.acme.endpoints.health.check', 'GET {root}/healthz'])
  const probe = async (...args: string[]) =>
    own.run(['openapi', ...args, '--jq', '[.paths[].get | select(.operationId == "health_check")] | length'])
  const shown = await probe('--env', 'acme')
  expect([shown.code, shown.stdout]).toEqual([0, '1\n'])
  expect(shown.stderr).toContain('health.check')
  const paths = async (...args: string[]) =>
    Object.keys(JSON.parse((await own.run(['openapi', ...args])).stdout).paths).filter(
      (path) => !path.includes('/', 1),
    )
  expect(await paths('--env', 'acme')).toContain('/healthz')
  expect(await paths()).toContain('/up')
  expect((await own.run(['openapi', '--env', 'nobody'])).code).toBe(2)
  writeSettings(own, { endpoints: { health: { check: 'GET /accounts' } } })
  const collided = await own.run(['openapi'])
  expect([collided.code, collided.stdout]).toEqual([2, ''])
  expect(collided.stderr).toContain('has the path of accounts.list')
})
