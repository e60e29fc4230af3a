import { readFileSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { createHome } from '../support/cli.ts'

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

test('--server gives the addresses, and must be one', async () => {
  const local = 'http://127.0.0.1:4010/v3'
  const { stdout } = await home.run(['openapi', '--server', local, '--jq', '.servers[].url'])
  expect(stdout).toBe(`${local}\n`)
  const { code, stderr } = await home.run(['openapi', '--server', 'file:///etc'])
  expect(code).toBe(2)
  expect(stderr).toContain('file:///etc is no address of a service')
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
  await own.json(['config', 'set', 'endpoints.health.check', 'GET /accounts'])
  const collided = await own.run(['openapi'])
  expect([collided.code, collided.stdout]).toEqual([2, ''])
  expect(collided.stderr).toContain('has the path of accounts.list')
})
