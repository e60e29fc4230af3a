import { describe, expect, test } from 'vitest'
import { runningEmulator } from '../support/running-emulator.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe('trace_id of an error object', () => {
  test('operation, last_error and event of one job carry the trace id of that job', async () => {
    const emulator = await runningEmulator()
    const id = await emulator.linked('ins_fde_desktop')
    const listener = await emulator.listen(['connection.requires_action'])
    const { error } = await emulator.refreshed(id, 0)
    expect(error?.trace_id).toMatch(uuid)
    const { last_error } = await emulator.connection(id)
    expect(last_error?.trace_id).toBe(error?.trace_id)
    const [{ connection }] = listener.data('connection.requires_action')
    expect(connection.last_error.trace_id).toBe(error?.trace_id)
    expect((await emulator.refreshed(id, 0)).error?.trace_id).not.toBe(error?.trace_id)
  })

  test('account.refresh.failed and connection.capability_changed have one', async () => {
    const emulator = await runningEmulator()
    const listener = await emulator.listen(['account.refresh.failed', 'connection.capability_changed'])
    const connection = 'con_AGGREGATOR_B_2001'
    emulator.trigger({ type: 'account.refresh.failed', connection })
    emulator.trigger({ type: 'connection.capability_changed', connection, status: 'failed' })
    await emulator.advance(0)
    const [{ account }] = listener.data('account.refresh.failed')
    const [{ change }] = listener.data('connection.capability_changed')
    expect([account.error.trace_id, change.last_error.trace_id]).toEqual([
      expect.stringMatching(uuid),
      expect.stringMatching(uuid),
    ])
  })

  test('what a request met carries the X-LS-Trace-Id of that request', async () => {
    const emulator = await runningEmulator()
    const id = await emulator.linked('ins_b_locked')
    await emulator.advance(2000)
    const listener = await emulator.listen(['connection.failed'])
    const { action } = await emulator.post(`/connections/${id}/reauthorize`)
    const body = new URLSearchParams({ username: 'demo', password: 'demo', action: 'continue' })
    const page = await fetch(action.reauth_url, { method: 'POST', body, redirect: 'manual' })
    await emulator.advance(0)
    const [{ connection }] = listener.data('connection.failed')
    expect(connection.last_error.trace_id).toBe(page.headers.get('x-ls-trace-id'))
  })
})
