/** triage_connections: what its counts are of. */
import { expect, it } from 'vitest'
import { emulatorShell } from '../support/emulator-shell.ts'
import { openAssistant } from '../support/mcp-client.ts'

const emulator = emulatorShell()

it('its counts are of every connection, also where only those of one actor are shown', async () => {
  for (const [type, connection, code] of [
    ['connection.requires_action', 'con_FDE_123', 'credentials_invalid'],
    ['connection.failed', 'con_AGGREGATOR_A_1001', 'source_internal_error'],
  ]) {
    await emulator.text(`bankapi emulator trigger ${type} --connection ${connection} --code ${code}`)
  }
  const assistant = await openAssistant({ env: emulator.shell.env, folder: emulator.shell.folder })
  const all = await assistant.call('triage_connections')
  const { connections: _, ...counts } = all
  expect(counts).toMatchObject({ need_somebody: 2, by_actor: { user: 1, bank: 0, service: 1, us: 0 } })
  expect(await assistant.call('triage_connections', { who_can_act: 'service' })).toEqual({
    ...counts,
    connections: [expect.objectContaining({ connection_id: 'con_AGGREGATOR_A_1001' })],
  })
})

it('it tells its progress, Client by Client, to a client that asks for it', async () => {
  await emulator.text('bankapi clients create --external-id another')
  const { client } = await openAssistant({ env: emulator.shell.env, folder: emulator.shell.folder })
  const told: number[] = []
  const call = { name: 'triage_connections', arguments: {} }
  await client.callTool(call, { onprogress: ({ progress }) => told.push(progress) })
  expect(told).toEqual([1])
})
