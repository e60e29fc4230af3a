import { describe, expect, test } from 'vitest'
import { runningEmulator } from '../support/running-emulator.ts'

const day = 86_400_000

describe('refresh', () => {
  test('202 with estimated_seconds 120, queued until every account has reported, then succeeded', async () => {
    const emulator = await runningEmulator()
    const listener = await emulator.listen()
    const accepted = await emulator.call('POST', '/connections/con_FDE_123/refresh')
    expect(accepted.status).toBe(202)
    expect(accepted.json).toMatchObject({ status: 'queued', estimated_seconds: 120 })
    const status = async () => (await emulator.get(`/operations/${accepted.json.operation_id}`)).status
    const accounts = (await emulator.accounts('con_FDE_123')).map(({ id }) => id)
    await emulator.advance(999)
    expect(await status()).toBe('queued')
    expect(listener.data('account.refresh.completed')).toHaveLength(accounts.length - 1)
    await emulator.advance(1)
    expect(await status()).toBe('succeeded')
    const told = listener.data('account.refresh.completed').map(({ account }) => account.id)
    expect(told.sort()).toEqual(accounts.sort())
  })

  test('the result is a Connection result: kind, connection, and the source used', async () => {
    const emulator = await runningEmulator()
    const operation = await emulator.refreshed('con_AGGREGATOR_B_2001')
    expect(operation).toMatchObject({
      type: 'account.refresh',
      status: 'succeeded',
      result: {
        kind: 'connection',
        connection: { id: 'con_AGGREGATOR_B_2001', _debug: { source_used: 'AGGREGATOR_B' } },
      },
    })
  })

  test('new_transaction_count is what the account has more, and its event omits what is not known', async () => {
    const emulator = await runningEmulator()
    const listener = await emulator.listen(['account.refresh.completed'])
    const count = async (id: string) =>
      (await emulator.get(`/accounts/${id}/transactions?client_id=cli_demo&limit=500`)).data.length
    const before = new Map<string, number>()
    const accounts = await emulator.accounts('con_AGGREGATOR_A_1001')
    for (const { id } of accounts) before.set(id, await count(id))
    await emulator.refreshed('con_AGGREGATOR_A_1001')
    const told = listener.data('account.refresh.completed')
    for (const { account } of told) {
      expect(account.new_transaction_count).toBe((await count(account.id)) - (before.get(account.id) ?? 0))
      expect(account).not.toHaveProperty('available_balance')
      expect(Object.values(account)).not.toContain(null)
    }
    expect(told.some(({ account }) => account.new_transaction_count > 0)).toBe(true)
  })

  test('another refresh on the same day brings what happened on that day, and nothing from before it', async () => {
    const emulator = await runningEmulator()
    const rows = async (): Promise<{ id: string; date: string }[]> =>
      (await emulator.get('/accounts/acc_FDE_12301/transactions?client_id=cli_demo&limit=500')).data
    await emulator.refreshed('con_FDE_123')
    const before = new Set((await rows()).map(({ id }) => id))
    for (let count = 0; count < 3; count += 1) await emulator.refreshed('con_FDE_123')
    const dates = (await rows()).filter(({ id }) => !before.has(id)).map(({ date }) => date)
    expect(new Set(dates)).toEqual(new Set(['2026-03-10']))
  })

  test('a refresh begins at the day of the last report, or at yesterday after one of today', async () => {
    const emulator = await runningEmulator()
    const [connection, account] = ['con_AGGREGATOR_B_2001', 'acc_AGGREGATOR_B_200101']
    const rows = async (): Promise<{ id: string; date: string }[]> =>
      (await emulator.get(`/accounts/${account}/transactions?client_id=cli_demo&limit=500`)).data
    const datesAfter = async (ms: number) => {
      const before = new Set((await rows()).map(({ id }) => id))
      await emulator.advance(ms)
      emulator.trigger({ type: 'member.status', connection, member_status: 'CONNECTED' })
      await emulator.refreshed(connection)
      const dates = (await rows()).filter(({ id }) => !before.has(id)).map(({ date }) => date)
      return [...new Set(dates)].sort()
    }
    expect(await datesAfter(0)).toEqual(['2026-03-10'])
    emulator.trigger({ type: 'member.status', connection, member_status: 'DISCONNECTED' })
    const missed = await datesAfter(20 * day)
    expect(missed.length).toBeGreaterThan(5)
    expect(missed[0] && missed[0] > '2026-03-10' && missed[0] < '2026-03-17').toBe(true)
    expect(missed.at(-1)).toBe('2026-03-30')
  })

  test("the event's balance is the account's, with the same sign", async () => {
    const emulator = await runningEmulator()
    const listener = await emulator.listen(['account.refresh.completed'])
    await emulator.refreshed('con_AGGREGATOR_B_2001')
    const accounts = await emulator.accounts('con_AGGREGATOR_B_2001')
    const told = listener.data('account.refresh.completed')
    expect(told.map(({ account }) => account.id).toSorted()).toEqual(accounts.map(({ id }) => id).toSorted())
    expect(accounts.filter(({ current_balance }) => (current_balance ?? 0) < 0)).not.toEqual([])
    for (const { account } of told) {
      const row = accounts.find(({ id }) => id === account.id)
      expect(account.current_balance?.amount).toBe(row?.current_balance)
      expect(account.available_balance?.amount ?? null).toBe(row?.available_balance)
    }
  })

  test('ins_b_partial: one account fails: refresh_partially_failed with error.accounts, account.refresh.failed for it', async () => {
    const emulator = await runningEmulator()
    const id = await emulator.linked('ins_b_partial')
    const listener = await emulator.listen()
    const { status, error } = await emulator.refreshed(id)
    expect([status, error?.code]).toEqual(['failed', 'refresh_partially_failed'])
    const failed = listener.data('account.refresh.failed').map(({ account }) => account.id)
    expect(failed).toHaveLength(1)
    expect(error?.accounts?.map((account) => account.id)).toEqual(failed)
    expect(listener.data('account.refresh.completed')).toHaveLength((await emulator.accounts(id)).length - 1)
  })

  test('ins_a_silent: no account reports: refresh_timed_out after the time-out, no event', async () => {
    const emulator = await runningEmulator({ refreshTimeoutMs: 60_000 })
    const id = await emulator.linked('ins_a_silent')
    const listener = await emulator.listen(['account.refresh.completed', 'account.refresh.failed'])
    const { operation_id } = await emulator.post(`/connections/${id}/refresh`)
    await emulator.advance(59_999)
    expect((await emulator.get(`/operations/${operation_id}`)).status).toBe('queued')
    await emulator.advance(1)
    const { status, error, result } = await emulator.get(`/operations/${operation_id}`)
    expect([status, error.code, result]).toEqual(['failed', 'refresh_timed_out', undefined])
    expect(listener.types()).toEqual([])
  })

  test.each([
    ['ins_fde_mfa', 'mfa_required', undefined],
    ['ins_fde_refused', 'source_internal_error', 'FDE-SITE_CHANGED'],
  ])('%s: refused at once with %s, no webhook', async (institution, code, diagnostic) => {
    const emulator = await runningEmulator()
    const id = await emulator.linked(institution)
    const listener = await emulator.listen()
    const { status, error } = await emulator.refreshed(id, 0)
    expect([status, error?.code, error?.source_diagnostic_code]).toEqual(['failed', code, diagnostic])
    await emulator.advance(3000)
    expect(listener.types()).toEqual([])
  })

  test('ins_fde_desktop: desktop_app_required, the connection reads requires_action with the same code', async () => {
    const emulator = await runningEmulator()
    const id = await emulator.linked('ins_fde_desktop')
    expect((await emulator.connection(id)).requires_desktop_app).toBe(true)
    const { status, error } = await emulator.refreshed(id, 0)
    expect([status, error?.code]).toEqual(['failed', 'desktop_app_required'])
    expect(await emulator.connection(id)).toMatchObject({
      status: 'requires_action',
      last_error: { code: 'desktop_app_required' },
    })
    emulator.trigger({ type: 'desktop_app.connected', connection: id })
    expect((await emulator.refreshed(id)).status).toBe('succeeded')
    expect((await emulator.connection(id)).status).toBe('active')
  })

  test('ins_fde_choice: desktop_app_route_choice; the working connection stays active and no webhook fires', async () => {
    const emulator = await runningEmulator()
    const id = await emulator.linked('ins_fde_choice')
    const listener = await emulator.listen()
    const { status, error } = await emulator.refreshed(id, 0)
    expect([status, error?.code]).toEqual(['failed', 'desktop_app_route_choice'])
    expect((await emulator.connection(id)).status).toBe('active')
    expect(listener.types()).toEqual([])
  })

  test('only a sync result that arrives after the refresh call can answer that refresh', async () => {
    const emulator = await runningEmulator()
    const first = await emulator.post('/connections/con_AGGREGATOR_A_1001/refresh')
    // All accounts but one have reported when the second refresh is asked for.
    await emulator.advance(999)
    const second = await emulator.post('/connections/con_AGGREGATOR_A_1001/refresh')
    const status = async ({ operation_id }: { operation_id: string }) =>
      (await emulator.get(`/operations/${operation_id}`)).status
    await emulator.advance(1)
    expect([await status(first), await status(second)]).toEqual(['succeeded', 'queued'])
    // The last account's report came after both calls, so the second waits for the others' only.
    const { length } = await emulator.accounts('con_AGGREGATOR_A_1001')
    await emulator.advance(Math.floor((1000 * (length - 1)) / length) - 1)
    expect(await status(second)).toBe('succeeded')
  })

  test('a connection deleted while it is refreshed reports nothing more: the refresh times out', async () => {
    const emulator = await runningEmulator({ refreshTimeoutMs: 5000 })
    const listener = await emulator.listen(['account.refresh.completed'])
    const { operation_id } = await emulator.post('/connections/con_FDE_123/refresh')
    await emulator.call('DELETE', '/connections/con_FDE_123')
    await emulator.advance(5000)
    expect(listener.types()).toEqual([])
    expect((await emulator.get(`/operations/${operation_id}`)).error.code).toBe('refresh_timed_out')
  })

  test('the outcome of an operation is final', async () => {
    const emulator = await runningEmulator({ refreshTimeoutMs: 5000 })
    const { id, completed_at } = await emulator.refreshed('con_FDE_123')
    await emulator.advance(day)
    expect(await emulator.get(`/operations/${id}`)).toMatchObject({ status: 'succeeded', completed_at })
  })

  test('refresh_outcome_not_observable can be ordered for a waiting refresh', async () => {
    const emulator = await runningEmulator()
    const { operation_id } = await emulator.post('/connections/con_FDE_123/refresh')
    emulator.trigger({ type: 'refresh.outcome_not_observable', connection: 'con_FDE_123' })
    expect((await emulator.get(`/operations/${operation_id}`)).error.code).toBe(
      'refresh_outcome_not_observable',
    )
  })
})

describe('the daily refresh budget', () => {
  test('over budget: 429 rate_limit_exceeded with Retry-After, the bank is not touched; the next day it is full again', async () => {
    const emulator = await runningEmulator({ refreshBudget: 2 })
    for (const status of [202, 202, 429]) {
      const answer = await emulator.call('POST', '/connections/con_FDE_123/refresh')
      expect(answer.status).toBe(status)
      if (status === 429) {
        expect(answer.json.error.code).toBe('rate_limit_exceeded')
        expect(answer.headers.get('retry-after')).toBe(String(12 * 3600))
      }
    }
    await emulator.advance(12 * 3_600_000)
    expect((await emulator.call('POST', '/connections/con_FDE_123/refresh')).status).toBe(202)
  })

  test.each(['ins_fde_desktop', 'ins_fde_choice'])(
    '%s: a refusal at the desktop-app check uses none',
    async (institution) => {
      const emulator = await runningEmulator({ refreshBudget: 1 })
      const id = await emulator.linked(institution)
      for (let times = 0; times < 3; times += 1) {
        expect((await emulator.call('POST', `/connections/${id}/refresh`)).status).toBe(202)
        await emulator.advance(0)
      }
    },
  )

  test('a refresh that the bank refuses uses it', async () => {
    const emulator = await runningEmulator({ refreshBudget: 1 })
    const id = await emulator.linked('ins_fde_refused')
    const statuses = [
      await emulator.call('POST', `/connections/${id}/refresh`),
      await emulator.call('POST', `/connections/${id}/refresh`),
    ]
    expect(statuses.map(({ status }) => status)).toEqual([202, 429])
  })

  test('with the scope of a customer all its Connections share one budget, and another customer has its own', async () => {
    const emulator = await runningEmulator({ refreshBudget: 2, refreshBudgetScope: 'customer' })
    const refresh = async (id: string, base: 'sandbox' | 'live' = 'sandbox') =>
      (await emulator.call('POST', `/connections/${id}/refresh`, { base })).status
    const other = await emulator.linked('ins_a_ok')
    expect([await refresh('con_FDE_123'), await refresh('con_AGGREGATOR_B_2001')]).toEqual([202, 202])
    expect([await refresh('con_FDE_123'), await refresh(other)]).toEqual([429, 429])
    const live = await emulator.get('/clients/cli_demo/connections', { base: 'live' })
    expect(await refresh(live.data[0].id, 'live')).toBe(202)
    await emulator.advance(12 * 3_600_000)
    expect(await refresh(other)).toBe(202)
  })

  test("the service's own daily refresh uses none", async () => {
    const emulator = await runningEmulator({ refreshBudget: 1 })
    await emulator.advance(day)
    expect((await emulator.call('POST', '/connections/con_FDE_123/refresh')).status).toBe(202)
  })
})

describe('capabilities', () => {
  test('ins_b_flaky: failed after 3 observations, succeeded after 2, two capability_changed in all', async () => {
    const emulator = await runningEmulator()
    const id = await emulator.linked('ins_b_flaky')
    const listener = await emulator.listen(['connection.capability_changed'])
    const seen: unknown[] = []
    for (let sync = 0; sync < 7; sync += 1) {
      await emulator.refreshed(id)
      seen.push((await emulator.connection(id)).realized_capabilities?.balance?.status)
    }
    expect(seen).toEqual([
      'succeeded',
      'succeeded',
      'failed',
      'failed',
      'succeeded',
      'succeeded',
      'succeeded',
    ])
    const [failure, recovery, ...more] = listener.data('connection.capability_changed')
    expect(more).toEqual([])
    expect(failure).toMatchObject({
      connection: { id, status: 'active' },
      change: {
        capability: 'balance',
        previous_status: 'succeeded',
        current_status: 'failed',
        consecutive_observations: 3,
        last_error: { code: expect.any(String) },
      },
    })
    expect(recovery.change).toEqual({
      capability: 'balance',
      previous_status: 'failed',
      current_status: 'succeeded',
      consecutive_observations: 2,
    })
  })

  test.each(['skipped', 'pending', 'unsupported'] as const)(
    'the sentinel %s flips at once',
    async (status) => {
      const emulator = await runningEmulator()
      const listener = await emulator.listen(['connection.capability_changed'])
      emulator.trigger({
        type: 'connection.capability_changed',
        connection: 'con_FDE_123',
        capability: 'statements',
        status,
      })
      await emulator.advance(0)
      expect(listener.data('connection.capability_changed')).toMatchObject([
        { change: { capability: 'statements', current_status: status, consecutive_observations: 1 } },
      ])
    },
  )

  test('capability_changed is told of an active connection only', async () => {
    const emulator = await runningEmulator()
    const listener = await emulator.listen(['connection.capability_changed'])
    emulator.trigger({ type: 'connection.requires_action', connection: 'con_FDE_123' })
    emulator.trigger({
      type: 'connection.capability_changed',
      connection: 'con_FDE_123',
      capability: 'balance',
    })
    await emulator.advance(0)
    expect((await emulator.connection('con_FDE_123')).realized_capabilities?.balance?.status).toBe('failed')
    expect(listener.types()).toEqual([])
  })

  test('check_images is unsupported for the aggregators; accounts share the state of their bank', async () => {
    const emulator = await runningEmulator()
    for (const id of ['con_AGGREGATOR_A_1001', 'con_AGGREGATOR_B_2001', 'con_FDE_123']) {
      const { realized_capabilities } = await emulator.connection(id)
      expect(realized_capabilities?.check_images?.status === 'unsupported').toBe(!id.includes('FDE'))
      for (const account of await emulator.accounts(id)) {
        expect(account.realized_capabilities).toEqual(realized_capabilities)
      }
    }
  })
})
