import { describe, expect, it, vi } from 'vitest'
import { fakeApi, fakeClock, operation } from '../../test/support/fake-api.ts'
import { linkBank } from './link-bank.ts'

const placeholder = 'con_1c9d4f0e-7a52-4b8f-9a1e-3c1f2d4b5a6c'
const done = operation({
  type: 'connection.initiate',
  status: 'succeeded',
  result: {
    kind: 'connection',
    connection: { id: placeholder, action: { widget_url: 'https://bank.example/w/1' } },
  },
})

function connection(id: string, status: string, institution = 'ins_a_ok') {
  return { id, status, institution: { id: institution, name: 'A bank' } }
}

/** `lists` are the Client's connections as the list shows them, one after the other; the last one stays. */
function setup(...lists: object[][]) {
  return setupWith(done, ...lists)
}

function setupWith(initiated: typeof done, ...lists: object[][]) {
  let read = 0
  const list = vi.fn(async () => ({ data: lists[Math.min(read++, lists.length - 1)] ?? [], has_more: false }))
  const get = vi.fn(async () => {
    throw new Error('a placeholder is never followed')
  })
  const api = fakeApi({
    connections: {
      initiate: async () => ({ operation_id: 'op_1', status: 'queued', poll_url: '' }),
      list,
      get,
    },
    operations: { get: async () => initiated },
  })
  const context = { api, clock: fakeClock(), signal: new AbortController().signal }
  const link = (untilActive: boolean) =>
    linkBank(context, { clientId: 'cli_1', institutionId: 'ins_a_ok', timeoutMs: 60_000, untilActive })
  return { link, list, context }
}

describe('linking a bank', () => {
  it('gives the widget URL from the operation, and does not take succeeded for linked', async () => {
    const { link, list } = setup([])
    expect(await link(false)).toMatchObject({ widgetUrl: 'https://bank.example/w/1', connection: undefined })
    expect(list).not.toHaveBeenCalled()
  })

  it("takes the canonical id from the Client's list of connections", async () => {
    const fresh = connection('con_AGGREGATOR_A_2', 'active')
    const { link } = setup([], [], [], [fresh])
    expect((await link(true)).connection).toEqual(fresh)
  })

  it('is not fooled by what was active before, by another bank, or by one that is not active yet', async () => {
    const old = connection('con_AGGREGATOR_A_1', 'active')
    const other = connection('con_FDE_9', 'active', 'ins_fde_ok')
    const pending = connection('con_AGGREGATOR_A_2', 'requires_action')
    const fresh = connection('con_AGGREGATOR_A_2', 'active')
    const { link } = setup([old], [old, other], [old, other, pending], [old, other, fresh])
    expect((await link(true)).connection).toEqual(fresh)
  })

  it.each([
    ['failed', 'institution_unavailable', 'A daily refresh may find it recovered'],
    ['disconnected', undefined, 'Link the bank again'],
    ['requires_action', 'credentials_invalid', 'bankapi connections reauthorize con_AGGREGATOR_B_2'],
    ['requires_action', 'account_locked_by_institution', 'The user cannot repair it'],
  ])('ends at once when the new Connection is %s (%s)', async (status, code, hint) => {
    const last_error = code && { code, message: 'Why.', is_user_actionable: code === 'credentials_invalid' }
    const ended = { ...connection('con_AGGREGATOR_B_2', status), last_error }
    const { link, list } = setup([], [], [ended])
    await expect(link(true)).rejects.toMatchObject({
      code: 'link_failed',
      exit: 'operationFailed',
      message: expect.stringContaining(`con_AGGREGATOR_B_2 was linked, and is ${status}`),
      hint: expect.stringContaining(hint),
    })
    expect(list).toHaveBeenCalledTimes(3)
  })

  it('ends at once when an event says that the link failed before it was active', async () => {
    const { context, list } = setup([])
    const states = [
      undefined,
      { status: 'requires_action' },
      { status: 'failed', last_error: { code: 'institution_unavailable', message: 'The bank is down.' } },
    ]
    const stateInEvents = vi.fn(async () => states.shift() as never)
    const options = { clientId: 'cli_1', institutionId: 'ins_a_ok', timeoutMs: 60_000, untilActive: true }
    await expect(linkBank(context, { ...options, stateInEvents })).rejects.toMatchObject({
      code: 'link_failed',
      exit: 'operationFailed',
      message: 'The bank was not linked; the link is failed: The bank is down (institution_unavailable)',
    })
    expect(stateInEvents.mock.calls).toEqual([[placeholder], [placeholder], [placeholder]])
    expect(list).toHaveBeenCalledTimes(4)
  })

  it('waits on beside a Connection of the bank that failed before, or of another bank', async () => {
    const old = connection('con_AGGREGATOR_A_1', 'failed')
    const other = connection('con_FDE_9', 'failed', 'ins_fde_ok')
    const fresh = connection('con_AGGREGATOR_A_2', 'active')
    const { link } = setup([old], [old, other], [old, other, fresh])
    expect((await link(true)).connection).toEqual(fresh)
  })

  it('ends when the widget URL expires, where the service says when', async () => {
    const expiring = structuredClone(done) as unknown as { result: { connection: { action: object } } }
    expiring.result.connection.action = {
      widget_url: 'https://bank.example/',
      expires_at: '2026-01-01T00:00:05Z',
    }
    const { link, list } = setupWith(expiring as never, [])
    await expect(link(true)).rejects.toMatchObject({ code: 'link_expired', exit: 'operationFailed' })
    expect(list.mock.calls.length).toBeLessThan(12)
  })

  it('says so when the user has not finished in time', async () => {
    await expect(setup([]).link(true)).rejects.toMatchObject({ code: 'still_running', exit: 'stillRunning' })
  })
})
