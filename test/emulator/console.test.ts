/** The console at the root of the sandbox base: who may use it, and what its pages show. */
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { callTool, mcpClient } from '../support/connector-client.ts'
import { runningEmulator, type TestEmulator } from '../support/running-emulator.ts'
import { until } from '../support/until.ts'

const originOf = (emulator: TestEmulator) => new URL(emulator.sandbox.base_url).origin
const asPage = { accept: 'text/html' }

/** Opens the address that the start printed, as a browser does. */
async function opened(emulator: TestEmulator) {
  const origin = originOf(emulator)
  const first = await fetch(emulator.consoleUrl, { headers: asPage, redirect: 'manual' })
  const cookie = first.headers.get('set-cookie')?.split(';')[0] ?? ''
  const page = async (path = '/') => {
    const answer = await fetch(`${origin}${path}`, { headers: { ...asPage, cookie } })
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }
  const token = /name="token" value="([\w-]+)"/.exec((await page()).text)?.[1] ?? ''
  const post = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    fetch(`${origin}${path}`, {
      method: 'POST',
      headers: { accept: 'application/json', cookie, origin, 'sec-fetch-site': 'same-origin', ...headers },
      body: new URLSearchParams(fields),
      redirect: 'manual',
    })
  return { first, cookie, token, page, post }
}

const clock = (emulator: TestEmulator) => emulator.status().clock

describe('the console opens', () => {
  test('with the address that the start printed: the token becomes a cookie and leaves the address', async () => {
    const emulator = await runningEmulator()
    const { first, page } = await opened(emulator)
    expect([first.status, first.headers.get('location')]).toEqual([303, '/'])
    const { port } = new URL(emulator.consoleUrl)
    expect(first.headers.get('set-cookie')).toMatch(
      new RegExp(`^bankapi_console_${port}=[\\w-]{32}; Path=/; HttpOnly; SameSite=Lax$`),
    )
    expect((await page()).text).toContain('con_FDE_123')
  })

  test.each([
    ['no token', '/', {}],
    ['a wrong token', '/?token=wrong', {}],
    ['the token as a cookie', '/', { cookie: 'bankapi_console_PORT=TOKEN' }],
    ['a cookie of another port', '/', { cookie: 'bankapi_console_1=SESSION' }],
  ])('not with %s, and says how', async (_what, path, headers: Record<string, string>) => {
    const emulator = await runningEmulator()
    const { cookie } = await opened(emulator)
    const { port, searchParams } = new URL(emulator.consoleUrl)
    const filled = Object.entries(headers).map(([name, value]) => [
      name,
      value
        .replace('PORT', port)
        .replace('TOKEN', searchParams.get('token') ?? '')
        .replace('SESSION', cookie.split('=')[1] ?? ''),
    ])
    for (const at of [path, '/console/requests/1']) {
      const answer = await fetch(`${originOf(emulator)}${at}`, {
        headers: { ...asPage, ...Object.fromEntries(filled) },
        redirect: 'manual',
      })
      const text = await answer.text()
      expect([at, answer.status]).toEqual([at, 403])
      expect(text).not.toContain('con_FDE_123')
      expect(text).toContain('bankapi emulator status --jq .console_url')
    }
  })

  test('under a name of loopback only', async () => {
    const emulator = await runningEmulator()
    const { cookie } = await opened(emulator)
    const { port } = new URL(emulator.consoleUrl)
    const statusAt = (host: string) =>
      new Promise((resolve, reject) => {
        const headers = { ...asPage, cookie, host }
        const request = httpRequest({ host: '127.0.0.1', port, path: '/', headers }, (answer) => {
          answer.resume()
          resolve(answer.statusCode)
        })
        request.on('error', reject).end()
      })
    expect(await statusAt(`127.0.0.1:${port}`)).toBe(200)
    expect(await statusAt(`evil.example:${port}`)).toBe(400)
  })

  test('for no other page: it is not framed, not read, not kept, and asks nothing of anyone else', async () => {
    const emulator = await runningEmulator()
    const { headers } = await (await opened(emulator)).page()
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'no-store',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'content-security-policy':
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; " +
        "base-uri 'none'; frame-ancestors 'none'",
    })
  })
})

describe('a change', () => {
  test('is made with cookie, token and origin of the console', async () => {
    const emulator = await runningEmulator()
    const { token, post } = await opened(emulator)
    const answer = await post('/console/advance', { token, ms: '3600000' })
    expect([answer.status, clock(emulator)]).toEqual([200, '2026-03-10T13:00:00.000Z'])
  })

  test.each<[string, Record<string, string>, Record<string, string>]>([
    ['no cookie', { cookie: '' }, {}],
    ['no token of a form', {}, { token: '' }],
    ['the token of the address', {}, { token: 'ADDRESS' }],
    ['another origin', { origin: 'https://evil.example' }, {}],
    ['another port of this machine', { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' }, {}],
    ['no origin to tell', { origin: 'null' }, {}],
    ['a browser that says so', { 'sec-fetch-site': 'cross-site' }, {}],
  ])('is refused with %s, and not made', async (_what, headers, fields) => {
    const emulator = await runningEmulator()
    await emulator.listen(['connection.failed'])
    const { token, post } = await opened(emulator)
    emulator.trigger({ type: 'connection.failed', connection: 'con_AGGREGATOR_A_1001' })
    await emulator.advance(0)
    const address = new URL(emulator.consoleUrl).searchParams.get('token') ?? ''
    const given = { token, ...fields }
    if (given.token === 'ADDRESS') given.token = address
    const before = [
      clock(emulator),
      emulator.status().deliveries,
      (await emulator.connection('con_FDE_123')).status,
    ]
    for (const [path, more] of [
      ['/console/advance', { ms: '3600000' }],
      ['/console/trigger', { offer: 'outage', connection: 'con_FDE_123' }],
      ['/console/test-event', { subscription: '1' }],
      ['/console/deliveries/1/replay', {}],
    ] as const) {
      const answer = await post(path, { ...given, ...more } as Record<string, string>, headers)
      expect([path, answer.status]).toEqual([path, 403])
    }
    await emulator.advance(0)
    expect([
      clock(emulator),
      emulator.status().deliveries,
      (await emulator.connection('con_FDE_123')).status,
    ]).toEqual(before)
  })

  test('that the state does not allow is refused with a reason', async () => {
    const emulator = await runningEmulator()
    const { token, post } = await opened(emulator)
    const order = { token, environment: 'sandbox', connection: 'con_FDE_123', offer: 'finish' }
    await post('/console/trigger', { ...order, offer: 'stop' })
    const answer = await post('/console/trigger', { ...order, offer: 'stop' })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({
      error: { message: 'A Connection that is disconnected does not change that way.' },
    })
  })

  test('without its script leads back to a page', async () => {
    const emulator = await runningEmulator()
    const { token, post } = await opened(emulator)
    const answer = await post('/console/advance', { token, ms: '60000' }, asPage)
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/'])
  })
})

describe('it tells of changes', () => {
  test('to a page of its own only', async () => {
    const emulator = await runningEmulator()
    const { cookie } = await opened(emulator)
    const status = async (headers: Record<string, string>) => {
      const aborting = new AbortController()
      const answer = await fetch(`${originOf(emulator)}/console/live`, { headers, signal: aborting.signal })
      aborting.abort()
      return answer.status
    }
    expect(await status({})).toBe(403)
    expect(await status({ cookie, 'sec-fetch-site': 'same-site' })).toBe(403)
    expect(await status({ cookie, 'sec-fetch-site': 'same-origin' })).toBe(200)
  })

  test('when something has changed, and not when only the console was read', async () => {
    const emulator = await runningEmulator()
    const { cookie, page } = await opened(emulator)
    const aborting = new AbortController()
    const answer = await fetch(`${originOf(emulator)}/console/live`, {
      headers: { cookie },
      signal: aborting.signal,
    })
    let text = ''
    const told = () => text.split('data: changed').length - 1
    const reading = (async () => {
      for await (const chunk of answer.body ?? []) text += new TextDecoder().decode(chunk)
    })().catch(() => undefined)
    await until(() => told() === 1, 'the first word')
    for (let times = 0; times < 10; times += 1) await page()
    await emulator.get('/clients')
    await until(() => told() > 1, 'the request')
    const atRest = told()
    emulator.trigger({ type: 'connection.failed', connection: 'con_FDE_123' })
    await until(() => told() > atRest, 'the trigger')
    aborting.abort()
    await reading
    expect(told()).toBeLessThanOrEqual(5)
  })
})

describe('what it shows', () => {
  test('is the tool that an assistant called, beside the address of the connector', async () => {
    const emulator = await runningEmulator()
    await callTool(await mcpClient(emulator), 'list_connections', { client_id: 'cli_demo' })
    const { page } = await opened(emulator)
    expect((await page()).text).toContain('<bdi>/mcp</bdi> <span class="chip">list_connections</span>')
  })

  test('is no secret in full, wherever one was sent', async () => {
    const emulator = await runningEmulator()
    const listener = await emulator.listen(['connection.failed'])
    const rotated = await emulator.post(`/webhooks/subscriptions/${listener.subscription.id}/rotate-secret`)
    const { url, sid } = await emulator.post('/clients/cli_demo/connect-session')
    await fetch(url)
    emulator.trigger({ type: 'connection.failed', connection: 'con_FDE_123' })
    await emulator.advance(0)
    const { page, cookie, token } = await opened(emulator)
    const texts = [(await page()).text]
    for (const { id } of emulator.requests({ limit: 100, failed: false, bodies: false }).data)
      texts.push((await page(`/console/requests/${id}`)).text)
    texts.push((await page('/console/deliveries/1')).text)
    const all = texts.join('\n')
    expect(all).toContain('X-LS-Webhook-Signature')
    for (const secret of [
      emulator.sandbox.api_key,
      emulator.live.api_key,
      emulator.otherCustomer.sandbox.api_key,
      emulator.sandbox.portal_secret,
      listener.subscription.signing_secret,
      rotated.signing_secret,
      sid,
      cookie.split('=')[1] ?? '',
      new URL(emulator.consoleUrl).searchParams.get('token') ?? '',
    ])
      expect(all).not.toContain(secret)
    expect(token).toMatch(/^[\w-]{32}$/)
  })

  test('is no secret in full in the address of a receiver', async () => {
    const emulator = await runningEmulator()
    const listener = await emulator.listen(['connection.failed'])
    const { host } = new URL(listener.url)
    await emulator.call('PATCH', `/webhooks/subscriptions/${listener.subscription.id}`, {
      body: { url: `http://${host}/hook?%73ecret=covert1&api_key=covert2&shown=yes` },
    })
    emulator.trigger({ type: 'connection.failed', connection: 'con_FDE_123' })
    await emulator.advance(0)
    const { page } = await opened(emulator)
    for (const path of ['/', '/console/deliveries/1', '/console/requests/1', '/console/requests/2']) {
      const { text } = await page(path)
      expect([path, text]).not.toEqual([path, expect.stringContaining('covert')])
    }
    expect((await page('/console/deliveries/1')).text).toContain('api_key=…&amp;shown=yes')
  })

  test('is escaped, whoever wrote it', async () => {
    const emulator = await runningEmulator()
    const evil = '<img src=x onerror=alert(1)>'
    await emulator.post('/clients', { name: evil, external_id: '"><script>alert(2)</script>' })
    await emulator.call('GET', `/${encodeURIComponent(evil)}?q=${evil}`)
    const listener = await emulator.listen(['connection.failed'])
    await emulator.call('PATCH', `/webhooks/subscriptions/${listener.subscription.id}`, {
      body: { url: `${listener.url}?<script>` },
    })
    const { page } = await opened(emulator)
    for (const path of ['/', '/?find=<script>', '/console/requests/1', '/console/requests/2']) {
      const { text } = await page(path)
      expect(text).not.toMatch(/<img src=x|<script>/)
    }
    expect((await page('/console/requests/1')).text).toContain('&lt;img src=x onerror=alert(1)&gt;')
  })

  test('of a delivery: every attempt with its signature, the answer, and when it is tried again', async () => {
    const emulator = await runningEmulator()
    const listener = await emulator.listen(['connection.failed'])
    listener.answer(500)
    emulator.trigger({ type: 'connection.failed', connection: 'con_FDE_123' })
    await emulator.advance(15_000)
    const { page } = await opened(emulator)
    const { text } = await page('/console/deliveries/1')
    expect(text).toContain('Attempt 2')
    expect(text).toContain('1 earlier attempt')
    expect(text).toContain('2026-03-10 12:00:30 UTC')
    for (const { headers } of listener.deliveries) expect(text).toContain(headers['x-ls-webhook-signature'])
  })

  test('of a request: the command that sends it again, unless something of it is missing or means something to a shell', async () => {
    const emulator = await runningEmulator()
    await emulator.call('GET', '/clients?limit=2')
    await emulator.call('GET', "/clients?external_id=%24(id)'$(id)'")
    await emulator.post('/clients', { name: 'Ada' })
    const { page } = await opened(emulator)
    const command = /<code class="again">([^<]*)<\/code>/
    expect(command.exec((await page('/console/requests/1')).text)?.[1]).toBe(
      "bankapi api GET '/v3/clients?limit=2' --env local",
    )
    for (const id of [2, 3]) expect((await page(`/console/requests/${id}`)).text).not.toMatch(command)
  })

  test('of an event that nobody had asked for', async () => {
    const emulator = await runningEmulator()
    emulator.trigger({ type: 'connection.failed', connection: 'con_FDE_123' })
    const { page } = await opened(emulator)
    expect((await page()).text).toMatch(/>12:00:00<.+no receiver/s)
    expect((await page('/console/events/1')).text).toContain('Nobody had asked for this event')
  })

  test('of deliveries: those that went somewhere, only those that failed, or the events that went nowhere', async () => {
    const emulator = await runningEmulator()
    const listener = await emulator.listen(['connection.failed'])
    emulator.trigger({ type: 'connection.capability_changed', connection: 'con_FDE_123' })
    emulator.trigger({ type: 'connection.failed', connection: 'con_FDE_123' })
    await emulator.advance(0)
    listener.answer(500)
    emulator.trigger({ type: 'connection.failed', connection: 'con_AGGREGATOR_A_1001' })
    await emulator.advance(0)
    const { page } = await opened(emulator)
    const rows = async (path: string) =>
      [...(await page(path)).text.matchAll(/<li id="((?:delivery|event)-\d+)"/g)].map(([, id]) => id)
    expect(await rows('/')).toEqual(['delivery-2', 'delivery-1'])
    expect(await rows('/?deliveries=failed')).toEqual(['delivery-2'])
    expect(await rows('/?deliveries=unsubscribed')).toEqual(['event-1'])
    listener.answer(200)
    await emulator.advance(60_000)
    expect(await rows('/?deliveries=failed')).toEqual([])
    expect((await page('/?deliveries=failed')).text).toContain('No delivery has failed.')
  })

  test('stays narrowed to what failed and to what is looked for, on every page', async () => {
    const emulator = await runningEmulator({ crowd: { clients: 20, accounts: 1, transactions: 0 } })
    await emulator.listen(['connection.failed'])
    emulator.trigger({ type: 'connection.failed', connection: 'con_FDE_123' })
    await emulator.advance(0)
    await emulator.call('GET', '/clients/cli_none')
    const { page } = await opened(emulator)
    const query = '?find=FDE&failed=1'
    for (const path of ['/', '/console/requests/2', '/console/deliveries/1', '/console/requests/99']) {
      const { text } = await page(`${path}${query}`)
      const links = [...text.matchAll(/<a[^>]* href="(\/[^"]*)"/g)].map(([, href = '']) =>
        href.replace('&amp;', '&'),
      )
      const own = links.filter((href) => !href.startsWith('/errors/'))
      expect(own.filter((href) => !href.includes(query) && href !== '/?find=FDE#requests')).toEqual([])
      expect(own).toContainEqual(expect.stringMatching(/^\/console\/\w+\/\d+\?/))
      expect(text).toContain('<input type="hidden" name="failed" value="1">')
    }
  })

  test('is found by a part of an id', async () => {
    const emulator = await runningEmulator({ crowd: { clients: 60, accounts: 1, transactions: 0 } })
    const { page } = await opened(emulator)
    const rows = (text: string) => text.match(/id="connection-\d+"/g)?.length
    const { text } = await page()
    expect(text).toContain('27 of 70')
    expect(rows(text)).toBe(27)
    expect(rows((await page('/?find=cli_crowd_000031')).text)).toBe(1)
  })

  test('is bounded: 50 rows of each, 2,000 characters of a body', async () => {
    const emulator = await runningEmulator()
    const { page } = await opened(emulator)
    const receiver = createServer((request, response) =>
      request.resume().on('end', () => response.end('x'.repeat(9000))),
    )
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void receiver.close())
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
    await emulator.post('/webhooks/subscriptions', { url, event_types: ['connection.capability_changed'] })
    const order = { type: 'connection.capability_changed', connection: 'con_FDE_123' } as const
    for (let times = 0; times < 60; times += 1) {
      await emulator.call('GET', '/clients')
      emulator.trigger(order)
    }
    await emulator.advance(0)
    const { text } = await page()
    expect(text.match(/id="request-\d+"/g)).toHaveLength(50)
    expect(text.match(/id="delivery-\d+"/g)).toHaveLength(50)
    expect((await page('/console/deliveries/60')).text.match(/x{100,}/)?.[0]).toHaveLength(2000)
  })

  test('is gone once it is not kept any more, and says so', async () => {
    const emulator = await runningEmulator()
    const { page } = await opened(emulator)
    for (const path of ['/console/requests/99', '/console/deliveries/99', '/console/events/x']) {
      const { status, text } = await page(path)
      expect([status, text]).toEqual([404, expect.stringContaining('Not kept any more')])
    }
  })
})

describe('replay', () => {
  test('delivers the same event once more, with a signature of its own', async () => {
    const emulator = await runningEmulator()
    const listener = await emulator.listen(['connection.failed'])
    emulator.trigger({ type: 'connection.failed', connection: 'con_FDE_123' })
    await emulator.advance(0)
    const { token, post } = await opened(emulator)
    const answer = await post('/console/deliveries/1/replay', { token })
    expect(await answer.json()).toMatchObject({ go_to: '/console/deliveries/2' })
    await emulator.advance(0)
    expect(listener.deliveries).toHaveLength(2)
    expect(listener.deliveries[1]?.body).toEqual(listener.deliveries[0]?.body)
    expect(emulator.status().deliveries).toEqual({ pending: 0, delivered: 2, given_up: 0 })
  })

  test('of a delivery that is not there is refused', async () => {
    const emulator = await runningEmulator()
    const { token, post } = await opened(emulator)
    expect((await post('/console/deliveries/99/replay', { token })).status).toBe(404)
  })
})

describe('addresses beside the API', () => {
  test('say what they are to a browser, and to a program what they said before', async () => {
    const emulator = await runningEmulator()
    for (const { base_url } of [emulator.sandbox, emulator.live]) {
      const { origin } = new URL(base_url)
      const page = await fetch(`${origin}/v3`, { headers: asPage })
      expect([page.status, await page.text()]).toEqual([
        200,
        expect.stringContaining(`<code>${base_url}</code>`),
      ])
      expect((await fetch(`${origin}/v3`)).status).toBe(404)
      expect((await fetch(`${origin}/`)).status).toBe(404)
      const icon = await fetch(`${origin}/favicon.ico`)
      expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
    }
    const { origin } = new URL(emulator.live.base_url)
    expect(await (await fetch(`${origin}/`, { headers: asPage })).text()).toContain(
      `href="${originOf(emulator)}/"`,
    )
  })

  test('an error page says what the code means and what to do, as a page and as text', async () => {
    const emulator = await runningEmulator()
    const url = `${originOf(emulator)}/errors/refresh_timed_out`
    const page = await fetch(url, { headers: asPage })
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(await page.text()).toMatch(/refresh_timed_out.+What to do/s)
    expect(await (await fetch(url)).text()).toMatch(/^refresh_timed_out\n\nWhen: /)
    expect((await fetch(`${originOf(emulator)}/errors/none`, { headers: asPage })).status).toBe(404)
  })

  test('that lead nowhere answer a browser with a page, and a program as before', async () => {
    const emulator = await runningEmulator()
    const origin = originOf(emulator)
    for (const path of [
      '/_emulator',
      '/_emulator/faults',
      '/console',
      '/console/none',
      '/errors',
      '/errors/none',
      '/foo',
    ]) {
      const [page, program] = [
        await fetch(`${origin}${path}`, { headers: asPage }),
        await fetch(`${origin}${path}`),
      ]
      const text = await page.text()
      expect([path, page.headers.get('content-type')]).toEqual([path, 'text/html; charset=utf-8'])
      expect([path, page.status]).toEqual([path, program.status])
      expect(text).toContain(`href="${origin}/"`)
      expect(await program.json()).toMatchObject({ error: {} })
    }
    const none = await fetch(`${origin}/errors/none`, { headers: asPage })
    expect(await none.text()).toContain('No error of the API has the code none.')
    expect((await fetch(`${origin}/v3/clients`, { headers: asPage })).headers.get('content-type')).toContain(
      'json',
    )
    const { post } = await opened(emulator)
    const refused = await post('/console/advance', { token: '', ms: '1' }, asPage)
    expect([refused.status, await refused.text()]).toEqual([
      403,
      expect.stringMatching(/<h1>This was not done<.+Only a page of the console/s),
    ])
  })

  test('none of it is in the log of requests, and no fault strikes it', async () => {
    const emulator = await runningEmulator()
    emulator.faults.add({ pattern: 'GET /**', status: 503 })
    const { page } = await opened(emulator)
    expect((await page('/')).status).toBe(200)
    expect((await page('/errors/not_found')).status).toBe(200)
    expect(emulator.requests({ limit: 10, failed: false, bodies: false }).data).toEqual([])
  })
})
