/** Pairing of the desktop app by an assistant: its four errors, and how many tries there are. */
import { describe, expect, test } from 'vitest'
import { pairingErrors } from '../../src/emulator/engine/pairing.ts'
import { callTool, mcpClient } from '../support/connector-client.ts'
import { runningEmulator } from '../support/running-emulator.ts'

const hour = 3_600_000

async function pairing() {
  const emulator = await runningEmulator()
  const client = await mcpClient(emulator)
  const pair = (pairing_code: string, connection_id = 'con_FDE_123') =>
    callTool(client, 'pair_desktop_app', { connection_id, pairing_code })
  return { emulator, client, pair }
}

describe('pairing the desktop app', () => {
  test('lets a Connection refresh that needs the app', async () => {
    const { emulator, pair } = await pairing()
    const connection = await emulator.linked('ins_fde_desktop')
    expect((await emulator.refreshed(connection)).error?.code).toBe('desktop_app_required')
    expect((await pair('123456', connection)).content).toEqual({ paired: true, connection_id: connection })
    expect((await emulator.refreshed(connection)).status).toBe('succeeded')
    expect((await pair('123456', 'con_AGGREGATOR_A_1001')).error.code).toBe('validation_failed')
  })

  test.each([
    ['000000', 'pairing_code_invalid'],
    ['12345', 'pairing_code_invalid'],
    ['12345x', 'pairing_code_invalid'],
    ['111111', 'desktop_app_session_closed'],
    ['222222', 'desktop_service_unavailable'],
  ])('the code %s ends with %s', async (code, error) => {
    const { emulator, pair } = await pairing()
    const connection = await emulator.linked('ins_fde_desktop')
    expect((await pair(code, connection)).error).toMatchObject({ code: error, trace_id: expect.any(String) })
    expect((await emulator.refreshed(connection)).error?.code).toBe('desktop_app_required')
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
    const { emulator, pair } = await pairing()
    const other = await emulator.linked('ins_fde_desktop')
    const tries = async (count: number) => {
      for (let tried = 0; tried < count; tried += 1) {
        const { error } = await pair('000000', tried % 2 === 0 ? 'con_FDE_123' : other)
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
    const { content } = await callTool(client, 'list_connections', { client_id: 'cli_demo' })
    const live = content.data.find(({ source }: { source: string }) => source === 'FDE')
    const input = { connection_id: live.id, pairing_code: '123456' }
    expect((await callTool(client, 'pair_desktop_app', input)).content.paired).toBe(true)
    expect((await pair('123456')).error.code).toBe('pairing_rate_limited')
  })
})
