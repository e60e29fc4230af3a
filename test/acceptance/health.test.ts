import { expect, it } from 'vitest'
import { json, serve } from '../api/servers.ts'
import { emulatorShell } from '../support/emulator-shell.ts'

const emulator = emulatorShell()

it('health needs no key', async () => {
  const { base_url } = emulator.home.sandbox
  const env = {
    BANKAPI_ENV: 'sandbox',
    BANKAPI_BASE_URL: base_url,
    DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent',
  }
  const { code, stdout } = await emulator.run('bankapi health --json', { env })
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { status: 'ok', base_url }])
})

it('the probe may stand beside the base path, without a key, and nowhere else than at the service', async () => {
  const elsewhere = await serve((_, response) => json(response, 200, { status: 'theirs' }))
  const service = await serve(({ url }, response) => {
    if (url === '/healthz') json(response, 200, { status: 'fine' })
    else if (url === '/moved') response.writeHead(302, { location: elsewhere.baseUrl }).end()
    else json(response, 404, { error: { code: 'not_found', message: 'nothing here' } })
  })
  const env = {
    BANKAPI_ENV: 'sandbox',
    BANKAPI_BASE_URL: service.baseUrl,
    BANKAPI_API_KEY: 'sk_test_ab12cdef',
  }
  const assumed = await emulator.run('bankapi health', { env })
  expect(assumed.code).toBe(5)
  expect(assumed.stderr).toContain("'METHOD {root}/path'")
  await emulator.text("bankapi config set endpoints.health.check 'GET {root}/healthz'")
  expect(await emulator.text('bankapi health --jq .status', { env })).toBe('fine')
  const debugged = await emulator.run('bankapi health --debug', { env })
  expect(debugged.stderr).toContain('/healthz\n')
  await emulator.text("bankapi config set endpoints.health.check 'GET {root}/moved'")
  expect((await emulator.run('bankapi health', { env })).code).not.toBe(0)
  for (const address of [elsewhere.baseUrl, '//evil.example/up', '{root}//evil.example/up']) {
    const { code } = await emulator.run(`bankapi config set endpoints.health.check 'GET ${address}'`)
    expect(code, address).toBe(2)
  }
  await emulator.text('bankapi config unset endpoints.health.check')
  expect(service.heard.map(({ url }) => url)).toEqual(['/v3/health', '/healthz', '/healthz', '/moved'])
  for (const { headers } of service.heard) expect(headers).not.toHaveProperty('authorization')
  expect(elsewhere.heard).toEqual([])
})

it('a service that is down is exit code 11, in a sentence with its address', async () => {
  const { code, stderr } = await emulator.run('bankapi health --base-url http://127.0.0.1:1/v3')
  expect(code).toBe(11)
  expect(stderr).toContain('http://127.0.0.1:1')
})
