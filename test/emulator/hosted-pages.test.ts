import { describe, expect, test } from 'vitest'
import { testInstitutions } from '../../src/emulator/institutions/test-institutions.ts'
import { runningEmulator, type TestEmulator } from '../support/running-emulator.ts'

const minute = 60_000

/** What a browser shows at the address, or after the form is sent there. */
async function open(url: string | URL, fields?: Record<string, string>) {
  const response = await fetch(url, {
    ...(fields ? { method: 'POST', body: new URLSearchParams(fields) } : {}),
  })
  return { status: response.status, headers: response.headers, html: await response.text() }
}

/** The answer to a form itself: a redirect, unless the visit ends there. */
async function sent(url: string | URL, fields: Record<string, string>) {
  const body = new URLSearchParams(fields)
  const { status, headers } = await fetch(url, { method: 'POST', redirect: 'manual', body })
  return { status, leadsTo: new URL(headers.get('location') ?? '', url) }
}

const session = (emulator: TestEmulator, body = {}) =>
  emulator.post('/clients/cli_demo/connect-session', body)

/** Every box that the accounts page offers. */
function offered(html: string): string[] {
  return [...html.matchAll(/name="account_id" value="([^"]+)"/g)].map(([, id]) => id ?? '')
}

describe('the pick-and-connect page', () => {
  test('from the link to connection.active: search, choose, sign in, choose accounts, done', async () => {
    const emulator = await runningEmulator()
    const listener = await emulator.listen(['connection.requires_action', 'connection.active'])
    await emulator.post('/settings/redirect-urls', { allowed_redirect_urls: ['https://app.example/done'] })
    const { url, sid } = await session(emulator, { redirect_url: 'https://app.example/done' })
    const { origin } = new URL(url)
    const first = await open(url)
    expect([first.status, first.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(first.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(first.html).not.toContain('name="password"')

    const found = await open(`${origin}/connect?token=${sid}&q=birch`)
    expect(found.html).toContain('Birch Savings')
    expect(found.html).not.toContain('Alder Bank')
    const chosen = await sent(`${origin}/connect`, { token: sid, institution_id: 'ins_b_ok' })
    expect(chosen.status).toBe(303)
    const widget = chosen.leadsTo
    expect((await open(widget)).html).toContain('<title>Sign in to \u2068Birch Savings\u2069</title>')
    const accounts = await open(widget, { username: 'demo', password: 'demo', action: 'continue' })
    const boxes = offered(accounts.html)
    expect(boxes.length).toBeGreaterThan(1)
    const done = await open(widget, { account_id: boxes[0] ?? '', action: 'continue' })
    expect(done.html).toContain('https://app.example/done')
    await emulator.advance(0)
    expect(listener.types().sort()).toEqual(['connection.active', 'connection.requires_action'])
    const [{ connection }] = listener.data('connection.active')
    expect((await emulator.accounts(connection.id)).map(({ id }) => id)).toEqual([boxes[0]])
  })

  test.each(['tampered', 'expired', 'revoked', "another base's", 'empty'])(
    'a link that is %s gets the static error page',
    async (how) => {
      const emulator = await runningEmulator()
      const { url, sid } = await session(emulator)
      const address = new URL(url)
      if (how === 'tampered')
        address.searchParams.set('token', `${sid.slice(0, -1)}${sid.endsWith('0') ? '1' : '0'}`)
      if (how === 'expired') await emulator.advance(30 * minute)
      if (how === 'revoked') await emulator.call('DELETE', `/clients/cli_demo/connect-session/${sid}`)
      if (how === "another base's") address.port = new URL(emulator.live.base_url).port
      if (how === 'empty') address.searchParams.set('token', '')
      const { status, html, headers } = await open(address)
      expect([status, headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
      expect(html).toContain('This link does not work')
      const post = await open(new URL('/connect', address), {
        token: address.searchParams.get('token') ?? '',
        institution_id: 'ins_a_ok',
      })
      expect(post.status).toBe(404)
    },
  )

  test('ordinary banks come first, then those that misbehave, found by what they do as well', async () => {
    const emulator = await runningEmulator()
    const { url, sid } = await session(emulator)
    const shown = (html: string) =>
      [...html.matchAll(/name="institution_id" value="(\w+)"/g)].map(([, id]) => id)
    const ids = shown((await open(url)).html)
    expect(ids.slice(0, 3)).toEqual(['ins_a_ok', 'ins_b_ok', 'ins_fde_ok'])
    expect(ids.slice(8)).toEqual(testInstitutions.filter((one) => one.misbehaves).map(({ id }) => id))
    const search = async (q: string) =>
      shown((await open(`${new URL(url).origin}/connect?token=${sid}&q=${q}`)).html)
    expect(await search('DENIES')).toEqual(['ins_b_denied'])
    expect(await search('birch')).toHaveLength(6)
    expect(await search('union')).toHaveLength(4)
  })

  test('GET /connect-session answers HTML: without a token the error page, and other parameters are ignored', async () => {
    const emulator = await runningEmulator()
    const { url } = await session(emulator)
    for (const query of ['', '?', '?token', '?other=1', '?token=a&token=b']) {
      const { status, html, headers } = await open(`${emulator.sandbox.base_url}/connect-session${query}`)
      expect([status, headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
      expect(html).toContain('This link does not work')
    }
    expect((await open(`${url}&utm_source=mail&x[]=1`)).status).toBe(200)
  })

  test('the session is killed by its sid under its own Client only', async () => {
    const emulator = await runningEmulator()
    const { sid, url } = await session(emulator)
    const { id } = await emulator.post('/clients', {})
    expect((await emulator.call('DELETE', `/clients/${id}/connect-session/${sid}`)).status).toBe(404)
    expect((await open(url)).status).toBe(200)
    expect((await emulator.call('DELETE', `/clients/cli_demo/connect-session/${sid}`)).status).toBe(204)
    expect((await open(url)).status).toBe(404)
  })
})

describe('the widget', () => {
  test('a bank that asks a question asks it between sign-in and the accounts', async () => {
    const emulator = await runningEmulator()
    const { widgetUrl } = await emulator.initiate('ins_a_mfa')
    const asked = await open(widgetUrl, { username: 'demo', password: 'demo', action: 'continue' })
    expect([asked.html.includes('name="answer"'), offered(asked.html)]).toEqual([true, []])
    expect(offered((await open(widgetUrl, { answer: 'x', action: 'continue' })).html).length).toBeGreaterThan(
      0,
    )
  })

  test('cancelling links nothing; no account ticked asks again; a finished widget says so', async () => {
    const emulator = await runningEmulator()
    const { widgetUrl, connection } = await emulator.initiate('ins_a_ok')
    expect((await open(widgetUrl, { action: 'cancel' })).html).toContain('was not connected')
    expect((await open(widgetUrl, { action: 'continue' })).html).toContain('Choose at least one account')
    expect((await emulator.get('/clients/cli_demo/connections')).data).toHaveLength(3)
    emulator.link(connection)
    expect((await open(widgetUrl)).html).toContain('is connected')
  })

  test('accounts that the bank does not have are no choice: it asks again and links nothing', async () => {
    const emulator = await runningEmulator()
    const other = offered((await open((await emulator.initiate('ins_b_ok')).widgetUrl, { answer: 'x' })).html)
    const { widgetUrl } = await emulator.initiate('ins_a_ok')
    for (const account_id of ['all', '', 'acc_FDE_12301', other[0] ?? ''])
      expect((await open(widgetUrl, { account_id, action: 'continue' })).html).toContain(
        'Choose at least one account',
      )
    expect((await emulator.get('/clients/cli_demo/connections')).data).toHaveLength(3)
  })

  test('the user name that no bank accepts asks again and changes nothing', async () => {
    const emulator = await runningEmulator()
    const { widgetUrl } = await emulator.initiate('ins_a_mfa')
    await emulator.advance(2000)
    const listener = await emulator.listen()
    for (const username of ['wrong', ' Wrong ']) {
      const { html } = await open(widgetUrl, { username, password: 'secret-word', action: 'continue' })
      expect(html).toContain('The bank did not accept this user name and password.')
      expect(html).not.toContain('secret-word')
    }
    await emulator.advance(0)
    expect(listener.types()).toEqual([])
  })

  test.each([
    ['ins_b_denied', 'connection.requires_action', 'requires_action', 'credentials_invalid'],
    ['ins_b_locked', 'connection.requires_action', 'requires_action', 'account_locked_by_institution'],
    ['ins_b_closed', 'connection.disconnected', 'disconnected', undefined],
  ] as const)(
    '%s refuses the sign-in: %s with the status %s, once, and no step later goes round it',
    async (id, type, status, code) => {
      const emulator = await runningEmulator()
      const listener = await emulator.listen()
      const { widgetUrl, connection } = await emulator.initiate(id)
      const boxes = offered(
        (await open((await emulator.initiate('ins_b_ok')).widgetUrl, { answer: 'x' })).html,
      )
      for (const fields of [{ username: 'demo' }, { username: 'demo' }, { account_id: boxes[0] ?? '' }, {}])
        await open(widgetUrl, { ...fields, action: 'continue' })
      await emulator.advance(2000)
      const told = listener.deliveries
        .map(({ event }) => event)
        .filter(({ data }) => (data['connection'] as { id: string }).id === connection)
        .sort((one, other) => (one.created_at + one.type < other.created_at + other.type ? -1 : 1))
      expect(told.map((event) => event.type).sort()).toEqual([type, 'connection.requires_action'].sort())
      const outcome = told
        .map(({ data }) => data['connection'] as { last_error?: unknown })
        .filter((one) => code === undefined || one.last_error)
      expect(outcome).toContainEqual(
        expect.objectContaining({
          status,
          ...(code ? { last_error: expect.objectContaining({ code }) } : {}),
        }),
      )
      expect((await emulator.get('/clients/cli_demo/connections')).data).toHaveLength(3)
    },
  )

  test('a locked account can be linked once the bank has unlocked it', async () => {
    const emulator = await runningEmulator()
    const { widgetUrl, connection } = await emulator.initiate('ins_b_locked')
    expect((await open(widgetUrl, { username: 'demo' })).html).toContain('has locked your account')
    emulator.trigger({ type: 'bank.recovered', connection })
    const boxes = offered((await open(widgetUrl, { username: 'demo' })).html)
    expect((await open(widgetUrl, { account_id: boxes[0] ?? '' })).html).toContain('is connected')
    await emulator.advance(2000)
    expect((await emulator.get('/clients/cli_demo/connections')).data.at(-1)).toMatchObject({
      status: 'active',
    })
  })

  test('a bank that does not answer: the link goes on until the user gives up, which is connection.failed', async () => {
    const emulator = await runningEmulator()
    const listener = await emulator.listen(['connection.failed'])
    const { widgetUrl, connection } = await emulator.initiate('ins_a_down')
    expect((await open(widgetUrl, { username: 'demo' })).html).toContain('is not available')
    await open(widgetUrl, { action: 'cancel' })
    expect((await open(widgetUrl, { action: 'retry' })).html).toContain('name="username"')
    await emulator.advance(2000)
    expect(listener.types()).toEqual([])
    expect((await open(widgetUrl, { action: 'give_up' })).html).toContain('was not connected')
    await emulator.advance(0)
    expect(listener.data('connection.failed')).toMatchObject([
      { connection: { id: connection, status: 'failed', last_error: { code: 'institution_unavailable' } } },
    ])
    expect((await open(widgetUrl)).status).toBe(404)
  })

  test('giving up at a bank that answers changes nothing', async () => {
    const emulator = await runningEmulator()
    const listener = await emulator.listen(['connection.failed'])
    const { widgetUrl } = await emulator.initiate('ins_a_ok')
    await open(widgetUrl, { action: 'give_up' })
    await emulator.advance(2000)
    expect([listener.types(), (await open(widgetUrl)).status]).toEqual([[], 200])
  })

  test('a bank that denies every sign-in says so, and does not ask to try again', async () => {
    const emulator = await runningEmulator()
    const { widgetUrl, connection } = await emulator.initiate('ins_b_denied')
    const pages = [await open(widgetUrl), await open(widgetUrl, { username: 'ada' })]
    for (const { html } of pages) {
      expect(html).toContain('This test bank denies every sign-in.')
      expect(html).not.toMatch(/made-up values|try again/)
    }
    expect(pages[1]?.html).toContain('did not accept this user name and password.')
    emulator.trigger({ type: 'bank.recovered', connection })
    expect((await open(widgetUrl)).html).toContain('Any made-up values work')
    expect((await open(widgetUrl, { username: 'wrong' })).html).toContain('try again')
  })

  test.each([
    ['ins_b_denied', 'needs you again'],
    ['ins_b_locked', 'needs you again'],
    ['ins_a_down', 'is not available'],
    ['ins_a_mfa', 'needs you again'],
  ])(
    'a link to %s that was finished without the page says on it what the Connection reads, before and after: %s',
    async (id, outcome) => {
      const emulator = await runningEmulator()
      const { widgetUrl, connection } = await emulator.initiate(id)
      emulator.link(connection)
      for (const ms of [0, 2000]) {
        await emulator.advance(ms)
        const { html } = await open(widgetUrl)
        expect(html).toContain(`</bdi> ${outcome}</h1>`)
        expect(html).not.toContain('is connected')
      }
    },
  )

  test('every form of a visit leads to an address of its step, without credentials, which can be opened again', async () => {
    const emulator = await runningEmulator()
    const { widgetUrl } = await emulator.initiate('ins_a_mfa')
    const { widgetUrl: down } = await emulator.initiate('ins_a_down')
    const { widgetUrl: locked } = await emulator.initiate('ins_b_locked')
    const id = 'con_AGGREGATOR_A_1001'
    emulator.trigger({ type: 'account.opened', connection: id })
    const { action } = await emulator.post(`/connections/${id}/reauthorize`)
    const user = { username: 'ada', password: 'my-password' }
    const [box = ''] = offered((await open(widgetUrl, { answer: 'my-answer' })).html)
    const forms: [string, Record<string, string>, string][] = [
      [widgetUrl, { ...user, username: 'wrong' }, 'did not accept'],
      [widgetUrl, user, 'Security question'],
      [widgetUrl, { answer: 'my-answer' }, 'Select none'],
      [widgetUrl, { action: 'none' }, 'Select all'],
      [widgetUrl, { action: 'continue' }, 'Choose at least one account.'],
      [widgetUrl, { action: 'cancel' }, 'was not connected'],
      [widgetUrl, { account_id: box }, 'needs you again'],
      [down, user, 'is not available'],
      [locked, user, 'has locked your account'],
      [action.reauth_url, { ...user, username: 'wrong' }, 'did not accept'],
      [action.reauth_url, user, 'Not shared yet'],
      [action.reauth_url, { action: 'cancel' }, 'was not reconnected'],
      [action.reauth_url, { account_id: 'all' }, 'class="chip good">New<'],
    ]
    for (const [url, fields, text] of forms) {
      const { status, leadsTo } = await sent(url, fields)
      expect([status, leadsTo.pathname]).toEqual([303, new URL(url).pathname])
      expect(leadsTo.search).not.toMatch(/ada|my-/)
      for (const page of [await open(leadsTo), await open(leadsTo)]) expect(page.html).toContain(text)
    }
    expect((await emulator.get('/clients/cli_demo/connections')).data).toHaveLength(4)
  })

  test('the address of a step leads round no refusal, and to no step that the bank does not have', async () => {
    const emulator = await runningEmulator()
    for (const [id, step] of [
      ['ins_b_locked', 'accounts'],
      ['ins_b_denied', 'accounts'],
      ['ins_a_ok', 'question'],
      ['ins_a_ok', 'refused'],
      ['ins_a_ok', 'unavailable'],
      ['ins_a_ok', 'done'],
      ['ins_a_ok', 'nope'],
    ]) {
      const { widgetUrl } = await emulator.initiate(`${id}`)
      expect((await open(`${widgetUrl}?step=${step}`)).html).toContain('<h1>Sign in</h1>')
    }
  })

  test('an unknown widget or reauthorize token gets the static error page', async () => {
    const emulator = await runningEmulator()
    const { origin } = new URL(emulator.sandbox.base_url)
    for (const path of ['/widget/nope', '/reauthorize/nope']) {
      expect((await open(`${origin}${path}`)).status).toBe(404)
      expect((await open(`${origin}${path}`, { username: 'x' })).status).toBe(404)
    }
  })
})
