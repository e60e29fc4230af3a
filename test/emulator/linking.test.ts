import { describe, expect, test } from 'vitest'
import { connectionIdForm } from '../../src/contract/ids.ts'
import { runningEmulator } from '../support/running-emulator.ts'

describe('linking a bank by institution', () => {
  test('initiating answers 202 with a queued operation and where to poll it', async () => {
    const emulator = await runningEmulator()
    const answer = await emulator.call('POST', '/clients/cli_demo/connections', {
      body: { institution_id: 'ins_a_ok' },
    })
    expect(answer.status).toBe(202)
    expect(answer.json).toEqual({
      operation_id: expect.stringMatching(/^op_/),
      status: 'queued',
      poll_url: `${emulator.sandbox.base_url}/operations/${answer.json.operation_id}`,
    })
    const { status, completed_at, result } = await emulator.get(`/operations/${answer.json.operation_id}`)
    expect({ status, completed_at, result }).toEqual({
      status: 'queued',
      completed_at: undefined,
      result: undefined,
    })
  })

  test('the operation succeeds when the widget URL is issued, with a placeholder id for an aggregator', async () => {
    const emulator = await runningEmulator()
    const { operation } = await emulator.initiate('ins_b_ok')
    const { type, status, result } = await emulator.get(`/operations/${operation}`)
    expect({ type, status }).toEqual({ type: 'connection.initiate', status: 'succeeded' })
    expect(connectionIdForm(result.connection.id)).toBe('placeholder')
    expect(result).toMatchObject({
      kind: 'connection',
      connection: {
        status: 'initiated',
        action: { widget_url: expect.any(String) },
        _debug: { source_used: 'AGGREGATOR_B' },
      },
    })
  })

  test('FDE returns the canonical id directly, which is not shown anywhere before it reached active', async () => {
    const emulator = await runningEmulator()
    const { connection } = await emulator.initiate('ins_fde_ok')
    expect(connection).toMatch(/^con_FDE_/)
    expect((await emulator.call('GET', `/connections/${connection}`)).status).toBe(404)
    emulator.link(connection)
    expect((await emulator.connection(connection)).status).toBe('active')
  })

  test('the snapshot is never rewritten: after the link it still holds the placeholder', async () => {
    const emulator = await runningEmulator()
    const { operation, connection } = await emulator.initiate('ins_a_ok')
    const before = await emulator.call('GET', `/operations/${operation}`)
    emulator.link(connection)
    await emulator.advance(86_400_000)
    expect((await emulator.call('GET', `/operations/${operation}`)).text).toBe(before.text)
  })

  test('a placeholder reads 400 missing source separator, before and after the link', async () => {
    const emulator = await runningEmulator()
    const { connection } = await emulator.initiate('ins_a_ok')
    for (const step of [() => undefined, () => emulator.link(connection)]) {
      step()
      for (const [method, path] of [
        ['GET', `/connections/${connection}`],
        ['DELETE', `/connections/${connection}`],
        ['POST', `/connections/${connection}/refresh`],
        ['POST', `/connections/${connection}/reauthorize`],
        ['GET', `/accounts?client_id=cli_demo&connection_id=${connection}`],
      ] as const) {
        const { status, json } = await emulator.call(method, path)
        expect({ method, status, message: json.error.message }).toEqual({
          method,
          status: 400,
          message: 'missing source separator',
        })
      }
    }
  })

  test('the list shows only Connections that reached active, with canonical ids', async () => {
    const emulator = await runningEmulator()
    const ids = async () =>
      (await emulator.get('/clients/cli_demo/connections')).data.map(({ id }: { id: string }) => id)
    const before = await ids()
    const { connection } = await emulator.initiate('ins_a_ok')
    expect(await ids()).toEqual(before)
    const { connection_id } = emulator.link(connection)
    expect(connectionIdForm(connection_id)).toBe('canonical')
    expect(await ids()).toEqual([...before, connection_id])
  })

  test('requires_action is the first event of a new link, active carries the canonical id; initiated has no event', async () => {
    const emulator = await runningEmulator()
    const listener = await emulator.listen()
    const { connection } = await emulator.initiate('ins_a_ok')
    await emulator.advance(400)
    expect(listener.types()).toEqual([])
    await emulator.advance(600)
    expect(listener.types()).toEqual(['connection.requires_action'])
    expect(listener.data('connection.requires_action')[0].connection).toEqual({
      id: connection,
      source: 'AGGREGATOR_A',
      status: 'requires_action',
      client_id: 'cli_demo',
    })
    const { connection_id } = emulator.link(connection)
    await emulator.advance(0)
    expect(listener.data('connection.active')).toEqual([
      { connection: { id: connection_id, source: 'AGGREGATOR_A', status: 'active', client_id: 'cli_demo' } },
    ])
  })

  test('a user quicker than the first signal still causes requires_action before active, once', async () => {
    const emulator = await runningEmulator()
    const listener = await emulator.listen(['connection.requires_action', 'connection.active'])
    const { connection } = await emulator.initiate('ins_a_ok')
    emulator.link(connection)
    await emulator.advance(5000)
    const order = listener.deliveries.map(({ event }) => [event.created_at, event.type]).sort()
    expect(order.map(([, type]) => type)).toEqual(['connection.active', 'connection.requires_action'])
    expect(listener.types()).toHaveLength(2)
  })

  test('a link makes accounts available and tells of each stored statement', async () => {
    const emulator = await runningEmulator()
    const listener = await emulator.listen(['statement.available'])
    const id = await emulator.linked('ins_b_ok')
    const accounts = await emulator.accounts(id)
    expect(accounts.length).toBeGreaterThan(1)
    expect(accounts.every(({ connection_id }) => connection_id === id)).toBe(true)
    const statements = await Promise.all(
      accounts.map(
        async (account) => (await emulator.get(`/accounts/${account.id}/statements?client_id=cli_demo`)).data,
      ),
    )
    const told = listener.data('statement.available').map(({ statement }) => statement.id)
    expect(told.sort()).toEqual(
      statements
        .flat()
        .map(({ id }: { id: string }) => id)
        .sort(),
    )
    expect(told.length).toBeGreaterThan(0)
  })

  test('auto-link: the user finishes by itself after the time asked for', async () => {
    const emulator = await runningEmulator({ autoLinkMs: 3000 })
    const { connection } = await emulator.initiate('ins_a_ok')
    await emulator.advance(3000)
    const { data } = await emulator.get('/clients/cli_demo/connections')
    expect(data).toHaveLength(4)
    expect(emulator.link(connection).connection_id).toBe(data[3].id)
  })

  test('credentials are ignored, an institution outside the catalog is validation_failed', async () => {
    const emulator = await runningEmulator()
    const body = { institution_id: 'ins_a_ok', credentials: { user: 'u', password: 'p' }, redirect_url: null }
    expect((await emulator.call('POST', '/clients/cli_demo/connections', { body })).status).toBe(202)
    const { status, json } = await emulator.call('POST', '/clients/cli_demo/connections', {
      body: { institution_id: 'ins_nowhere' },
    })
    expect([status, json.error.code, json.error.param]).toEqual([400, 'validation_failed', 'institution_id'])
  })
})
