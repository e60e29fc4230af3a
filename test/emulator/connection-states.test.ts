import { describe, expect, test } from 'vitest'
import { runningEmulator, type TestEmulator } from '../support/running-emulator.ts'

const day = 86_400_000

/** The events about one Connection's status, in the order they were created. */
function statusesTold(listener: Awaited<ReturnType<TestEmulator['listen']>>, id: string): string[] {
  return listener.deliveries
    .filter(({ event }) => (event.data['connection'] as { id?: string } | undefined)?.id === id)
    .filter(({ event }) => event.type !== 'connection.capability_changed')
    .map(({ event }) => `${event.created_at} ${event.type}`)
    .sort()
    .map((line) => line.split(' connection.')[1] ?? line)
}

describe('connection status', () => {
  test('AGGREGATOR_A: an MFA challenge reads requires_action on GET and emits no event', async () => {
    const emulator = await runningEmulator()
    const listener = await emulator.listen()
    const id = await emulator.linked('ins_a_mfa')
    expect((await emulator.connection(id)).status).toBe('active')
    await emulator.advance(2000)
    expect(await emulator.connection(id)).toMatchObject({
      status: 'requires_action',
      last_error: { code: 'mfa_required' },
    })
    expect(statusesTold(listener, id)).toEqual(['active'])
  })

  test('an outage gives failed with institution_unavailable; the daily refresh finds it recovered', async () => {
    const emulator = await runningEmulator()
    const listener = await emulator.listen()
    const id = await emulator.linked('ins_a_down')
    await emulator.advance(2000)
    expect(await emulator.connection(id)).toMatchObject({
      status: 'failed',
      last_error: { code: 'institution_unavailable', is_user_actionable: false },
    })
    expect(listener.data('connection.failed')).toMatchObject([{ connection: { id, status: 'failed' } }])
    await emulator.advance(day)
    const after = await emulator.connection(id)
    expect(after.status).toBe('active')
    expect(after).not.toHaveProperty('last_error')
    expect(statusesTold(listener, id)).toEqual(['active', 'failed', 'active'])
  })

  test("AGGREGATOR_A: when the service's own refresh fails the connection is disconnected", async () => {
    const emulator = await runningEmulator()
    const listener = await emulator.listen()
    const id = await emulator.linked('ins_a_stops')
    await emulator.advance(day - 1000)
    expect((await emulator.connection(id)).status).toBe('active')
    await emulator.advance(1000)
    expect((await emulator.connection(id)).status).toBe('disconnected')
    expect(listener.data('connection.disconnected')).toMatchObject([
      { connection: { id, status: 'disconnected' } },
    ])
  })

  test.each([
    ['ins_fde_stops', 'source_internal_error'],
    ['ins_fde_refused', 'source_internal_error'],
    ['ins_fde_mfa', 'mfa_required'],
    ['ins_a_silent', 'refresh_timed_out'],
  ])(
    "the service's own refresh fails, whatever the cause: %s is disconnected with %s",
    async (institution, code) => {
      const emulator = await runningEmulator({ refreshTimeoutMs: 60_000 })
      const id = await emulator.linked(institution)
      const listener = await emulator.listen(['connection.disconnected'])
      await emulator.advance(day - 1000)
      expect((await emulator.connection(id)).status).toBe('active')
      await emulator.advance(62_000)
      expect(await emulator.connection(id)).toMatchObject({ status: 'disconnected', last_error: { code } })
      await emulator.advance(2 * day)
      expect(listener.data('connection.disconnected').map(({ connection }) => connection.id)).toEqual([id])
    },
  )

  test("the service's own refresh fails: on A and FDE it can be ordered with a code, AGGREGATOR_B has no such change", async () => {
    const emulator = await runningEmulator()
    const order = { type: 'connection.disconnected', code: 'institution_unavailable' } as const
    for (const connection of ['con_FDE_123', 'con_AGGREGATOR_A_1001']) {
      emulator.trigger({ ...order, connection })
      expect(await emulator.connection(connection)).toMatchObject({
        status: 'disconnected',
        last_error: { code: 'institution_unavailable' },
      })
    }
    expect(() => emulator.trigger({ ...order, connection: 'con_AGGREGATOR_B_2001' })).toThrow()
  })

  test.each(['ins_fde_ok', 'ins_fde_stops', 'ins_fde_desktop', 'ins_fde_choice', 'ins_b_partial'])(
    '%s refreshes on request, or asks for the desktop app: no own refresh failed, so it is not disconnected',
    async (institution) => {
      const emulator = await runningEmulator()
      const id = await emulator.linked(institution)
      await emulator.refreshed(id)
      if (institution !== 'ins_fde_stops') await emulator.advance(2 * day)
      expect((await emulator.connection(id)).status).not.toBe('disconnected')
    },
  )

  test.each(['ins_b_locked', 'LOCKED'])(
    'a locked account (%s) stays requires_action after a failed reauthorize and every day, until the bank unlocks it',
    async (how) => {
      const emulator = await runningEmulator()
      const id = how === 'LOCKED' ? 'con_AGGREGATOR_B_2001' : await emulator.linked(how)
      if (how === 'LOCKED') emulator.trigger({ type: 'member.status', connection: id, member_status: how })
      await emulator.advance(2000)
      const locked = {
        status: 'requires_action',
        last_error: { code: 'account_locked_by_institution', is_user_actionable: false },
      }
      const listener = await emulator.listen()
      const { action } = await emulator.post(`/connections/${id}/reauthorize`)
      await complete(action.reauth_url)
      expect(await emulator.connection(id)).toMatchObject(locked)
      await emulator.advance(3 * day)
      expect(await emulator.connection(id)).toMatchObject(locked)
      expect(statusesTold(listener, id)).toEqual(['failed', 'requires_action'])
      emulator.trigger({ type: 'bank.recovered', connection: id })
      await emulator.advance(0)
      expect((await emulator.connection(id)).status).toBe('active')
      await complete(action.reauth_url)
      await emulator.advance(day)
      expect((await emulator.connection(id)).status).toBe('active')
    },
  )

  test('failed: the scheduled daily refresh makes it active only when the connection has recovered', async () => {
    const emulator = await runningEmulator()
    const nextDay = async (institution: string) => {
      const connection = await emulator.linked(institution)
      await emulator.advance(2000)
      emulator.trigger({ type: 'connection.failed', connection })
      await emulator.advance(day)
      return (await emulator.connection(connection)).status
    }
    expect(await nextDay('ins_b_ok')).toBe('active')
    expect(await nextDay('ins_b_denied')).toBe('requires_action')
    expect(await nextDay('ins_fde_refused')).toBe('failed')
    expect(await nextDay('ins_a_mfa')).toBe('failed')
    // No account reports, or the bank is not contacted.
    expect(await nextDay('ins_a_silent')).toBe('failed')
    expect(await nextDay('ins_fde_desktop')).toBe('failed')
    expect(await nextDay('ins_fde_choice')).toBe('failed')
  })

  test('a lock is a fact of the bank: an outage does not end it, nor does the day after', async () => {
    const emulator = await runningEmulator()
    const connection = 'con_AGGREGATOR_B_2001'
    emulator.trigger({ type: 'member.status', connection, member_status: 'LOCKED' })
    emulator.trigger({ type: 'connection.failed', connection })
    expect((await emulator.connection(connection)).status).toBe('failed')
    for (let days = 0; days < 2; days += 1) {
      await emulator.advance(day + 2000)
      expect(await emulator.connection(connection)).toMatchObject({
        status: 'requires_action',
        last_error: { code: 'account_locked_by_institution' },
      })
    }
    emulator.trigger({ type: 'member.status', connection, member_status: 'CONNECTED' })
    await emulator.advance(2 * day)
    expect((await emulator.connection(connection)).status).toBe('active')
  })

  test('another member status than LOCKED says that the lock is gone', async () => {
    const emulator = await runningEmulator()
    const order = { type: 'member.status', connection: 'con_AGGREGATOR_B_2001' } as const
    emulator.trigger({ ...order, member_status: 'LOCKED' })
    emulator.trigger({ ...order, member_status: 'DENIED' })
    await emulator.advance(day)
    expect((await emulator.connection(order.connection)).last_error?.code).toBe('credentials_invalid')
  })

  test('a locked account that failed is active a day after the bank works again', async () => {
    const emulator = await runningEmulator()
    const connection = 'con_AGGREGATOR_B_2001'
    emulator.trigger({ type: 'member.status', connection, member_status: 'LOCKED' })
    emulator.trigger({ type: 'connection.failed', connection })
    emulator.trigger({ type: 'bank.recovered', connection })
    expect((await emulator.connection(connection)).status).toBe('failed')
    await emulator.advance(day)
    expect((await emulator.connection(connection)).status).toBe('active')
  })

  test('an event for a change: refused refreshes and triggers that change nothing tell nothing', async () => {
    const emulator = await runningEmulator()
    const id = await emulator.linked('ins_fde_desktop')
    const listener = await emulator.listen()
    for (let times = 0; times < 8; times += 1) await emulator.refreshed(id, 1)
    const { updated_at } = await emulator.connection(id)
    expect(statusesTold(listener, id)).toEqual(['requires_action'])
    emulator.trigger({ type: 'connection.failed', connection: id })
    emulator.trigger({ type: 'connection.failed', connection: id })
    await emulator.advance(0)
    expect(statusesTold(listener, id)).toEqual(['requires_action', 'failed'])
    expect((await emulator.connection(id)).updated_at > updated_at).toBe(true)
  })

  test.each(['CONNECTED', 'SYNCING'] as const)(
    'AGGREGATOR_B: healthy or still-syncing gives active: DISCONNECTED, then %s again',
    async (member_status) => {
      const emulator = await runningEmulator()
      const connection = 'con_AGGREGATOR_B_2001'
      const listener = await emulator.listen(['connection.disconnected', 'connection.active'])
      emulator.trigger({ type: 'member.status', connection, member_status: 'DISCONNECTED' })
      await emulator.advance(2 * day)
      emulator.trigger({ type: 'member.status', connection, member_status })
      emulator.trigger({ type: 'member.status', connection, member_status })
      await emulator.advance(0)
      expect((await emulator.connection(connection)).status).toBe('active')
      expect(statusesTold(listener, connection)).toEqual(['disconnected', 'active'])
      const [{ last_refreshed_at }] = [await emulator.connection(connection)]
      await emulator.advance(day + 2000)
      expect((await emulator.connection(connection)).last_refreshed_at).not.toBe(last_refreshed_at)
    },
  )

  test.each(['CONNECTED', 'SYNCING'] as const)(
    'AGGREGATOR_B: %s makes no active Connection before the user has finished the widget',
    async (member_status) => {
      const emulator = await runningEmulator()
      const { connection } = await emulator.initiate('ins_b_ok')
      await emulator.advance(2000)
      const order = { type: 'member.status', connection, member_status } as const
      expect(() => emulator.trigger(order)).toThrow(
        expect.objectContaining({ code: 'invalid_request', status: 400 }),
      )
      emulator.trigger({ ...order, member_status: 'LOCKED' })
      emulator.trigger({ type: 'bank.recovered', connection })
      const listed = await emulator.get('/clients/cli_demo/connections')
      expect(listed.data).toHaveLength(3)
      const { connection_id } = emulator.link(connection)
      expect((await emulator.accounts(connection_id)).length).toBeGreaterThan(0)
      expect((await emulator.connection(connection_id)).status).toBe('active')
    },
  )

  test.each([
    ['PREVENTED', 'credentials_invalid'],
    ['DENIED', 'credentials_invalid'],
    ['LOCKED', 'account_locked_by_institution'],
  ] as const)(
    'AGGREGATOR_B: the member status is followed from every state: DISCONNECTED, then %s',
    async (member_status, code) => {
      const emulator = await runningEmulator()
      const connection = 'con_AGGREGATOR_B_2001'
      const listener = await emulator.listen()
      emulator.trigger({ type: 'member.status', connection, member_status: 'DISCONNECTED' })
      await emulator.advance(2 * day)
      emulator.trigger({ type: 'member.status', connection, member_status })
      await emulator.advance(0)
      expect(await emulator.connection(connection)).toMatchObject({
        status: 'requires_action',
        last_error: { code },
      })
      expect(statusesTold(listener, connection)).toEqual(['disconnected', 'requires_action'])
      emulator.trigger({ type: 'connection.failed', connection })
      emulator.trigger({ type: 'bank.recovered', connection })
      // The daily refresh goes on.
      await emulator.advance(day)
      expect((await emulator.connection(connection)).status).toBe('active')
    },
  )

  test('what was to happen after the link does not happen to a Connection that was disconnected', async () => {
    const emulator = await runningEmulator()
    const connection = await emulator.linked('ins_a_down')
    emulator.trigger({ type: 'connection.disconnected', connection })
    await emulator.advance(2 * day)
    expect((await emulator.connection(connection)).status).toBe('disconnected')
  })

  test.each([
    ['ins_b_denied', 'requires_action', 'credentials_invalid', true],
    ['ins_b_locked', 'requires_action', 'account_locked_by_institution', false],
    ['ins_b_closed', 'disconnected', undefined, undefined],
  ])(
    'AGGREGATOR_B: %s gives %s with %s on GET and in the event',
    async (institution, status, code, actionable) => {
      const emulator = await runningEmulator()
      const listener = await emulator.listen()
      const id = await emulator.linked(institution)
      await emulator.advance(2000)
      const connection = await emulator.connection(id)
      expect(connection.status).toBe(status)
      expect(connection.last_error?.code).toBe(code)
      expect(connection.last_error?.is_user_actionable).toBe(actionable)
      const told = listener.data(`connection.${status}` as 'connection.disconnected')
      const [event] = told.filter(({ connection }) => connection.id === id)
      expect(event.connection).toMatchObject({ id, status })
      expect(event.connection.last_error?.code).toBe(code)
    },
  )

  test.each([
    ['PREVENTED', 'requires_action'],
    ['DENIED', 'requires_action'],
    ['LOCKED', 'requires_action'],
    ['DISCONNECTED', 'disconnected'],
    ['CLOSED', 'disconnected'],
  ] as const)('AGGREGATOR_B: member status %s reads %s', async (member_status, status) => {
    const emulator = await runningEmulator()
    emulator.trigger({ type: 'member.status', connection: 'con_AGGREGATOR_B_2001', member_status })
    expect((await emulator.connection('con_AGGREGATOR_B_2001')).status).toBe(status)
  })

  test('deleting gives disconnected with its event, once; the rows stay readable', async () => {
    const emulator = await runningEmulator()
    const listener = await emulator.listen()
    const path = '/connections/con_FDE_123'
    expect((await emulator.call('DELETE', path)).status).toBe(204)
    expect((await emulator.call('DELETE', path)).status).toBe(204)
    await emulator.advance(0)
    expect((await emulator.connection('con_FDE_123')).status).toBe('disconnected')
    expect(listener.types()).toEqual(['connection.disconnected'])
    expect((await emulator.accounts('con_FDE_123')).length).toBeGreaterThan(0)
  })

  test('a deleted connection is refreshed no more, neither by call nor daily', async () => {
    const emulator = await runningEmulator()
    await emulator.call('DELETE', '/connections/con_FDE_123')
    const listener = await emulator.listen(['account.refresh.completed'])
    const { status, json } = await emulator.call('POST', '/connections/con_FDE_123/refresh')
    expect([status, json.error.code]).toEqual([400, 'no_refreshable_accounts'])
    await emulator.advance(2 * day)
    const ids = listener.data('account.refresh.completed').map(({ account }) => account.connection_id)
    expect(new Set(ids)).toEqual(new Set(['con_AGGREGATOR_A_1001', 'con_AGGREGATOR_B_2001']))
  })

  test.each([
    ['connection.requires_action', 'requires_action'],
    ['connection.failed', 'failed'],
    ['connection.disconnected', 'disconnected'],
  ] as const)('trigger %s is a real change of state with its event', async (type, status) => {
    const emulator = await runningEmulator()
    const listener = await emulator.listen()
    expect(emulator.trigger({ type, connection: 'con_FDE_123' })).toMatchObject({ status })
    await emulator.advance(0)
    expect((await emulator.connection('con_FDE_123')).status).toBe(status)
    expect(listener.types()).toEqual([type])
  })
})

describe('reauthorize', () => {
  test('works whatever the status; the link is reusable and ends about six days later', async () => {
    const emulator = await runningEmulator()
    const answer = await emulator.post('/connections/con_FDE_123/reauthorize')
    expect(answer).toMatchObject({
      connection_id: 'con_FDE_123',
      source: 'FDE',
      action: { kind: 'reauthorize' },
    })
    const { reauth_url, expires_at } = answer.action
    expect(Date.parse(expires_at)).toBe(Date.parse(emulator.status().clock) + 6 * day)
    const opens = async () => (await fetch(reauth_url)).status
    expect([await opens(), await opens()]).toEqual([200, 200])
    await emulator.advance(6 * day - 1000)
    expect(await opens()).toBe(200)
    await emulator.advance(1000)
    expect(await opens()).toBe(404)
  })

  test('completing the session repairs requires_action with the same ids and emits connection.active', async () => {
    const emulator = await runningEmulator()
    const id = await emulator.linked('ins_b_denied')
    await emulator.advance(2000)
    const listener = await emulator.listen()
    const before = (await emulator.accounts(id)).map((account) => account.id)
    await complete((await emulator.post(`/connections/${id}/reauthorize`)).action.reauth_url)
    await emulator.advance(0)
    expect((await emulator.connection(id)).status).toBe('active')
    expect((await emulator.accounts(id)).map((account) => account.id)).toEqual(before)
    expect(listener.types()).toEqual(['connection.active'])
  })

  test('after days without a refresh the first one brings the days since the last, and none before', async () => {
    const emulator = await runningEmulator()
    const account = 'acc_FDE_12301'
    const rows = async (): Promise<{ id: string; date: string }[]> =>
      (await emulator.get(`/accounts/${account}/transactions?client_id=cli_demo&limit=500`)).data
    await emulator.refreshed('con_FDE_123')
    const before = new Set((await rows()).map(({ id }) => id))
    const reported = (await emulator.accounts('con_FDE_123')).find(
      ({ id }) => id === account,
    )?.last_refreshed_at
    emulator.trigger({ type: 'connection.requires_action', connection: 'con_FDE_123' })
    await emulator.advance(10 * day)
    expect(await rows()).toHaveLength(before.size)

    await complete((await emulator.post('/connections/con_FDE_123/reauthorize')).action.reauth_url)
    await emulator.refreshed('con_FDE_123')
    const days = (await rows())
      .filter(({ id }) => !before.has(id))
      .map(({ date }) => Math.round((Date.parse(date) - Date.parse(`${reported?.slice(0, 10)}`)) / day))
    expect(Math.min(...days)).toBeGreaterThanOrEqual(1)
    expect(Math.min(...days)).toBeLessThanOrEqual(3)
    expect(new Set(days).size).toBeGreaterThan(4)
    expect(Math.max(...days)).toBeLessThanOrEqual(10)
  })

  test('there is no way back from deleted: 409, a link minted before does not work, nor does a member status', async () => {
    const emulator = await runningEmulator()
    const id = 'con_AGGREGATOR_B_2001'
    const { action } = await emulator.post(`/connections/${id}/reauthorize`)
    emulator.trigger({ type: 'member.status', connection: id, member_status: 'DISCONNECTED' })
    await emulator.call('DELETE', `/connections/${id}`)
    const { status, json } = await emulator.call('POST', `/connections/${id}/reauthorize`)
    expect([status, json.error.code]).toEqual([409, 'connection_deleted'])
    expect((await fetch(action.reauth_url)).status).toBe(404)
    await complete(action.reauth_url)
    for (const order of [
      { type: 'member.status', member_status: 'CONNECTED' },
      { type: 'connection.active' },
    ] as const)
      expect(() => emulator.trigger({ ...order, connection: id })).toThrow()
    expect((await emulator.connection(id)).status).toBe('disconnected')
  })

  test('a connection that the source disconnected can be reauthorized, with one daily refresh a day', async () => {
    const emulator = await runningEmulator()
    emulator.trigger({ type: 'connection.disconnected', connection: 'con_FDE_123' })
    await complete((await emulator.post('/connections/con_FDE_123/reauthorize')).action.reauth_url)
    expect((await emulator.connection('con_FDE_123')).status).toBe('active')
    const listener = await emulator.listen(['account.refresh.completed'])
    await emulator.advance(day + 2000)
    const told = listener
      .data('account.refresh.completed')
      .filter(({ account }) => account.connection_id === 'con_FDE_123')
    expect(told).toHaveLength((await emulator.accounts('con_FDE_123')).length)
  })

  test('a session that fails tells connection.failed; a locked account then reads requires_action again', async () => {
    const emulator = await runningEmulator()
    const id = await emulator.linked('ins_b_locked')
    await emulator.advance(2000)
    const listener = await emulator.listen()
    await complete((await emulator.post(`/connections/${id}/reauthorize`)).action.reauth_url)
    await emulator.advance(0)
    expect((await emulator.connection(id)).status).toBe('requires_action')
    expect(listener.types().sort()).toEqual(['connection.failed', 'connection.requires_action'])
  })

  test('a bank that moved: another source in the answer, a new connection with new ids, the old one unchanged', async () => {
    const emulator = await runningEmulator()
    const id = await emulator.linked('ins_a_moved')
    const before = await emulator.connection(id)
    const listener = await emulator.listen(['connection.active'])
    const { source, action, connection_id } = await emulator.post(`/connections/${id}/reauthorize`)
    expect({ source, connection_id }).toEqual({ source: 'AGGREGATOR_B', connection_id: id })
    await complete(action.reauth_url)
    await emulator.advance(0)
    const [{ connection }] = listener.data('connection.active')
    expect(connection.id).toMatch(/^con_AGGREGATOR_B_/)
    expect(await emulator.connection(id)).toEqual(before)
    expect(await emulator.accounts(connection.id)).not.toEqual([])
  })

  test('a bank that moved: the user chooses what the new connection shares, as at a first link', async () => {
    const emulator = await runningEmulator()
    const id = await emulator.linked('ins_a_moved')
    const { action } = await emulator.post(`/connections/${id}/reauthorize`)
    const listener = await emulator.listen(['connection.active'])
    expect(await (await fetch(action.reauth_url)).text()).toContain('Step 1 of 2')
    const accounts = await send(action.reauth_url, { username: 'demo', password: 'demo' })
    const boxes = [...accounts.matchAll(/name="account_id" value="([^"]+)" checked/g)].map(
      ([, box]) => box ?? '',
    )
    expect(boxes.length).toBeGreaterThan(1)
    await send(action.reauth_url, { account_id: boxes[0] ?? '' })
    await emulator.advance(0)
    const [{ connection }] = listener.data('connection.active')
    expect((await emulator.accounts(connection.id)).map((one) => one.id)).toEqual([boxes[0]])
  })

  test('a bank that moved: its link adds one connection, however often it is used, and then shows that one', async () => {
    const emulator = await runningEmulator()
    const id = await emulator.linked('ins_a_moved')
    const { action } = await emulator.post(`/connections/${id}/reauthorize`)
    const { length } = (await emulator.get('/clients/cli_demo/connections')).data
    const signIn = () => send(action.reauth_url, { username: 'demo', password: 'demo' })
    await send(action.reauth_url, { account_id: 'all' })
    await Promise.all([signIn(), signIn()])
    await complete(action.reauth_url)
    const opened = async () => (await fetch(action.reauth_url)).text()
    for (const page of [await signIn(), await opened()]) expect(page).toContain('Savings</bdi> is connected')
    await emulator.advance(0)
    expect((await emulator.get('/clients/cli_demo/connections')).data).toHaveLength(length + 1)
  })

  test.each([
    ['con_AGGREGATOR_A_1001', 0, 1],
    ['con_AGGREGATOR_B_2001', 1, 1],
    ['con_FDE_123', 1, 1],
  ])(
    'an account opened later: %s finds %i by a refresh, %i after reauthorize',
    async (id, byRefresh, afterwards) => {
      const emulator = await runningEmulator()
      const held = (await emulator.accounts(id)).length
      emulator.trigger({ type: 'account.opened', connection: id })
      await emulator.refreshed(id)
      expect(await emulator.accounts(id)).toHaveLength(held + byRefresh)
      await complete((await emulator.post(`/connections/${id}/reauthorize`)).action.reauth_url)
      expect(await emulator.accounts(id)).toHaveLength(held + afterwards)
    },
  )

  test('PDF data has no connection to reauthorize: 400', async () => {
    const emulator = await runningEmulator()
    expect((await emulator.call('POST', '/connections/con_PDF_9/reauthorize')).status).toBe(400)
  })
})

const send = (url: string, fields: Record<string, string | string[]>) => {
  const pairs = Object.entries(fields).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  )
  const body = new URLSearchParams([...pairs, ['action', 'continue']])
  return fetch(url, { method: 'POST', body }).then((answer) => answer.text())
}

/** The user goes through the session: signs in, answers, shares every account. */
async function complete(url: string): Promise<void> {
  const page = await send(url, { username: 'demo', password: 'demo' })
  const boxes = [...page.matchAll(/name="account_id" value="([^"]+)"/g)].map(([, id]) => id ?? '')
  if (boxes.length > 0) await send(url, { account_id: boxes })
}
