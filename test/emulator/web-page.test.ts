/** What a page that a browser loaded from elsewhere can do to the emulator: nothing. */
import { describe, expect, test } from 'vitest'
import { exchange } from '../support/raw-exchange.ts'
import { runningEmulator } from '../support/running-emulator.ts'

const page = { origin: 'https://evil.example' }

test('no preflight is answered with leave, so a page can neither send the header of the controls nor read an answer', async () => {
  const emulator = await runningEmulator()
  const asked = {
    ...page,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'x-bankapi-emulator,authorization',
    'access-control-request-private-network': 'true',
  }
  for (const address of [`${emulator.controlUrl}/reset`, `${emulator.sandbox.base_url}/clients`]) {
    for (const [method, headers] of [
      ['OPTIONS', asked],
      ['POST', page],
    ] as const) {
      const answer = await fetch(address, { method, headers })
      expect(answer.status).toBeGreaterThanOrEqual(400)
      const names = [...answer.headers.keys()]
      expect(names.filter((name) => name.startsWith('access-control-'))).toEqual([])
    }
  }
})

test('what a form can send without asking is refused by every control, and changes nothing', async () => {
  const emulator = await runningEmulator()
  const client = await emulator.post('/clients', { name: 'Ada' })
  for (const path of ['reset', 'advance', 'link', 'trigger', 'faults']) {
    const body = new URLSearchParams({ ms: '1' })
    const { status } = await fetch(`${emulator.controlUrl}/${path}`, { method: 'POST', headers: page, body })
    expect([path, status]).toEqual([path, 403])
  }
  expect(await emulator.get('/clients')).toMatchObject({
    data: expect.arrayContaining([expect.objectContaining({ id: client.id })]),
  })
})

test('the form of another site is refused by every hosted page, with a page that says why, and changes nothing', async () => {
  const emulator = await runningEmulator()
  const { origin, host, port } = new URL(emulator.sandbox.base_url)
  const { sid } = await emulator.post('/clients/cli_demo/connect-session')
  const { widgetUrl } = await emulator.initiate('ins_a_ok')
  emulator.trigger({ type: 'connection.requires_action', connection: 'con_AGGREGATOR_A_1001' })
  const { action } = await emulator.post('/connections/con_AGGREGATOR_A_1001/reauthorize')
  const forms: [string, Record<string, string>][] = [
    [`${origin}/connect`, { token: sid, institution_id: 'ins_a_ok' }],
    [widgetUrl, { account_id: 'all' }],
    [action.reauth_url, { account_id: 'all' }],
  ]
  const send = ([address, fields]: (typeof forms)[number], headers: Record<string, string>) =>
    fetch(address, { method: 'POST', headers, body: new URLSearchParams(fields), redirect: 'manual' })
  const before = await emulator.get('/clients/cli_demo/connections')
  const foreign: Record<string, string>[] = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: `https://${host}` },
    { origin: `http://127.0.0.1:${Number(port) + 1}` },
    { origin: new URL(emulator.live.base_url).origin },
    { origin, 'sec-fetch-site': 'cross-site' },
    { origin, 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'cross-site' },
  ]
  for (const form of forms) {
    for (const headers of foreign) {
      const answer = await send(form, headers)
      expect([form[0], headers, answer.status]).toEqual([form[0], headers, 403])
      expect(await answer.text()).toContain('This form came from another site')
    }
  }
  expect(await emulator.get('/clients/cli_demo/connections')).toEqual(before)
  for (const form of forms) {
    expect((await send(form, { origin, 'sec-fetch-site': 'same-origin' })).status).toBeLessThan(400)
    expect((await send(form, { 'sec-fetch-site': 'none' })).status).toBeLessThan(400)
  }
})

test('the pages work under every name of loopback, each an origin of its own', async () => {
  const emulator = await runningEmulator()
  const { widgetUrl } = await emulator.initiate('ins_a_ok')
  const { port, pathname } = new URL(widgetUrl)
  const body = 'username=x'
  const post = async (host: string, origin: string) => {
    const head = `POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${origin}\r\nContent-Length: ${body.length}\r\n`
    const form = 'Content-Type: application/x-www-form-urlencoded\r\nConnection: close\r\n\r\n'
    return String(await exchange(Number(port), Buffer.from(head + form + body))).slice(9, 12)
  }
  expect(await post(`localhost:${port}`, `http://localhost:${port}`)).toBe('303')
  expect(await post(`localhost:${port}`, `http://127.0.0.1:${port}`)).toBe('403')
})

describe('bound wider on purpose', () => {
  const statusFor = async (emulator: { sandbox: { base_url: string } }, host: string) => {
    const request = `GET /v3/health HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
    const port = Number(new URL(emulator.sandbox.base_url).port)
    return Number(String(await exchange(port, Buffer.from(request))).slice(9, 12))
  }

  test('a Host is answered that no page from the internet can have: addresses, names without a dot, private zones', async () => {
    const emulator = await runningEmulator({ host: '0.0.0.0' })
    const here = [
      'emulator:4010',
      'host.docker.internal',
      'emulator.ci.svc.cluster.local.',
      '10.1.2.3:4010',
      '[fd00::1]',
    ]
    for (const host of ['localhost', ...here]) expect(await statusFor(emulator, host), host).toBe(200)
    const elsewhere = ['evil.example:4010', 'emulator.evil.example', '10.1.2.3.nip.io', 'emulator.localnet']
    for (const host of elsewhere) expect(await statusFor(emulator, host), host).toBe(400)
  })

  test('the public host is answered, too, and links begin with it', async () => {
    const emulator = await runningEmulator({ host: '0.0.0.0', publicHost: 'bank.ci.example' })
    const port = new URL(emulator.consoleUrl).port
    expect(emulator.live.base_url).toMatch(/^http:\/\/bank\.ci\.example:\d+\/v3$/)
    const at = { sandbox: { base_url: `http://127.0.0.1:${port}/v3` } }
    expect(await statusFor(at, 'bank.ci.example:4010')).toBe(200)
    expect(await statusFor(at, 'other.ci.example:4010')).toBe(400)
  })
})
