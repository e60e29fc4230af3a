/** Pairing of the desktop app by an assistant: its four errors, and how many tries there are. */
import { describe, expect, test } from 'vitest'
import { pairingErrors } from '../../src/emulator/engine/pairing.ts'
import { callTool, mcpClient } from '../support/connector-client.ts'
import { runningEmulator } from '../support/running-emulator.ts'

const hour = 3_600_000

async function pairing() {
  const emulator = await runningEmulator()
  const client = await mcpClient(emulator)
  const needsApp = await emulator.linked('ins_fde_desktop')
  const pair = (pairing_code: string, connection_id = needsApp) =>
    callTool(client, 'pair_desktop_app', { connection_id, pairing_code })
  return { emulator, client, needsApp, pair }
}

describe('pairing the desktop app', () => {
  test('lets a Connection refresh that needs the app', async () => {
    const { emulator, needsApp, pair } = await pairing()
    const asksRoute = await emulator.linked('ins_fde_choice')
    for (const [connection, code] of [
      [needsApp, 'desktop_app_required'],
      [asksRoute, 'desktop_app_route_choice'],
    ] as const) {
      expect((await emulator.refreshed(connection)).error?.code).toBe(code)
      expect((await pair('123456', connection)).content).toEqual({ paired: true, connection_id: connection })
      expect((await emulator.refreshed(connection)).status).toBe('succeeded')
    }
  })

  test.each([
    ['ins_fde_mfa', 'mfa_required'],
    ['ins_fde_refused', 'source_internal_error'],
  ])('is refused for %s, which needs no app, and cures nothing', async (institution, error) => {
    const { emulator, pair } = await pairing()
    const connection = await emulator.linked(institution)
    expect((await pair('123456', connection)).error).toMatchObject({
      code: 'validation_failed',
      errors: [{ param: 'connection_id', code: 'unsupported' }],
    })
    expect((await emulator.refreshed(connection)).error?.code).toBe(error)
  })

  test('is refused for another source and for a disconnected Connection, and is no try', async () => {
    const { emulator, needsApp, pair } = await pairing()
    await emulator.call('DELETE', `/connections/${needsApp}`)
    expect((await emulator.connection(needsApp)).status).toBe('disconnected')
    for (const [connection, code] of [
      ['con_AGGREGATOR_A_1001', 'unsupported_source'],
      [needsApp, 'disconnected'],
    ] as const) {
      for (let asked = 0; asked <= 10; asked += 1) {
        expect((await pair('123456', connection)).error).toMatchObject({
          code: 'validation_failed',
          errors: [{ code }],
        })
      }
    }
  })

  test.each([
    ['000000', 'pairing_code_invalid'],
    ['12345', 'pairing_code_invalid'],
    ['12345x', 'pairing_code_invalid'],
    ['111111', 'desktop_app_session_closed'],
    ['222222', 'desktop_service_unavailable'],
  ])('the code %s ends with %s', async (code, error) => {
    const { emulator, needsApp, pair } = await pairing()
    expect((await pair(code)).error).toMatchObject({ code: error, trace_id: expect.any(String) })
    expect((await emulator.refreshed(needsApp)).error?.code).toBe('desktop_app_required')
  })

  test.each(pairingErrors)('%s can be ordered for the next pairing of a base', async (code) => {
    const { emulator, pair } = await pairing()
    expect(emulator.trigger({ type: 'desktop_app.pairing', code, environment: 'live' })).toEqual({
      triggered: 'desktop_app.pairing',
    })
    expect((await pair('123456')).error).toBeUndefined()
    emulator.trigger({ type: 'desktop_app.pairing', code })
    expect((await pair('123456')).error.code).toBe(code)
    expect((await pair('123456')).error).toBeUndefined()
  })

  test('an error that is no outcome of a pairing cannot be ordered', async () => {
    const { emulator } = await pairing()
    const order = () => emulator.trigger({ type: 'desktop_app.pairing', code: 'mfa_required' })
    expect(order).toThrow('is no outcome of a pairing')
  })

  test('10 tries in an hour and 20 in a day for a customer, over all Connections, by the clock of the emulator', async () => {
    const { emulator, needsApp, pair } = await pairing()
    const other = await emulator.linked('ins_fde_desktop')
    const tries = async (count: number) => {
      for (let tried = 0; tried < count; tried += 1) {
        const { error } = await pair('000000', tried % 2 === 0 ? needsApp : other)
        expect(error.code).toBe('pairing_code_invalid')
      }
    }
    const refused = async () => (await pair('123456')).error
    await tries(10)
    expect(await refused()).toMatchObject({
      code: 'pairing_rate_limited',
      type: 'rate_limit_error',
      retry_after: 3600,
    })
    await emulator.advance(hour - 1)
    expect(await refused()).toMatchObject({ code: 'pairing_rate_limited', retry_after: 1 })
    await emulator.advance(1)
    await tries(10)
    expect(await refused()).toMatchObject({ code: 'pairing_rate_limited', retry_after: 23 * 3600 })
    await emulator.advance(22 * hour)
    expect(await refused()).toMatchObject({ code: 'pairing_rate_limited', retry_after: 3600 })
    await emulator.advance(hour)
    await tries(10)
    expect((await refused()).code).toBe('pairing_rate_limited')
  })

  test('tries are those of one customer', async () => {
    const { emulator, pair } = await pairing()
    for (let tried = 0; tried < 10; tried += 1) await pair('000000')
    const client = await mcpClient(emulator, { base: 'live' })
    const bank = { institution_id: 'ins_fde_desktop' }
    const { operation_id } = await emulator.post('/clients/cli_demo/connections', bank, { base: 'live' })
    await emulator.advance(100)
    const { result } = await emulator.get(`/operations/${operation_id}`, { base: 'live' })
    const { connection_id } = emulator.link(result.connection.id)
    const input = { connection_id, pairing_code: '123456' }
    expect((await callTool(client, 'pair_desktop_app', input)).content.paired).toBe(true)
    expect((await pair('123456')).error.code).toBe('pairing_rate_limited')
  })
})
