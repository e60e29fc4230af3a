import { expect, it } from 'vitest'
import { emulatorShell } from '../support/emulator-shell.ts'

const emulator = emulatorShell(['--refresh-duration', '100ms', '--first-signal', '50ms'])

it('Connections are listed with their canonical ids, and shown one by one', async () => {
  expect(
    await emulator.transcript(
      'bankapi connections list --columns id,status,institution.name',
      'bankapi connections get con_FDE_123 --jq .status',
      'bankapi connections get con_FDE_999',
      'bankapi connections get con_0b6b4a3e-5f5b-4e9c-9d8e-2f6b1c8d7e6f',
    ),
  ).toMatchInlineSnapshot(`
    "
    $ bankapi connections list --columns id,status,institution.name
    con_AGGREGATOR_A_1001	active	Alder Bank
    con_AGGREGATOR_B_2001	active	Birch Savings
    con_FDE_123	active	First Fir Bank
    $ bankapi connections get con_FDE_123 --jq .status
    active
    $ bankapi connections get con_FDE_999
    2> Error: There is no con_FDE_999 for this customer in local (not_found)
    2> Try: Check the id, the Client and the environment: what belongs to another one reads as not found
    2>      What there is: bankapi connections list --client cli_demo
    2> The service says: No such Connection.
    2> Docs: http://127.0.0.1:PORT/errors/not_found
    2> Trace id: UUID
    [exit 5]
    $ bankapi connections get con_0b6b4a3e-5f5b-4e9c-9d8e-2f6b1c8d7e6f
    2> Error: con_0b6b4a3e-5f5b-4e9c-9d8e-2f6b1c8d7e6f is a placeholder: valid only for the widget step, until the user has finished it (placeholder_connection)
    2> Try: The canonical id, con_<SOURCE>_<bankAccountId>, comes with the connection.active webhook or from: bankapi connections list --client cli_…
    [exit 2]
    "
  `)
  expect(await emulator.screen('bankapi connections list', { columns: 72 })).toMatchInlineSnapshot(`
    "
    $ bankapi connections list
    ID                     STATUS  INSTITUTION     SOURCE        LAST ERROR
    con_AGGREGATOR_A_1001  active  Alder Bank      AGGREGATOR_A  -
    con_AGGREGATOR_B_2001  active  Birch Savings   AGGREGATOR_B  -
    con_FDE_123            active  First Fir Bank  FDE           -
    "
  `)
})

it('every Connection id that is no placeholder is sent: sources may have any name', async () => {
  for (const id of ['con_mx_123', 'con_NEW_SOURCE_C_9']) {
    const { code, stderr } = await emulator.run(`bankapi connections get ${id}`)
    expect([code, stderr]).toEqual([5, expect.stringContaining('The service says: No such Connection.')])
  }
})

it('initiate prints the widget URL; the Connection is listed once the user has finished', async () => {
  const client = await emulator.text('bankapi clients create --jq .id')
  const initiated = await emulator.text(
    `bankapi connections initiate --client ${client} --institution ins_b_ok --wait --jq .result.connection`,
  )
  const { id, action } = JSON.parse(initiated)
  expect(id).toMatch(/^con_[0-9a-f-]{36}$/)
  expect((await fetch(action.widget_url)).status).toBe(200)
  expect(await emulator.transcript(`bankapi connections list --client ${client}`)).toMatchInlineSnapshot(`
    "
    $ bankapi connections list --client cli_…
    2> cli_… has no Connection yet. Start one: bankapi connections initiate --client cli_… --institution ins_…
    "
  `)
  await emulator.text(`bankapi emulator link ${id}`)
  expect(await emulator.text(`bankapi connections list --client ${client} --jq '.data[].status'`)).toBe(
    'active',
  )
})

it('a refresh without --wait names the operation and how to wait for it; with --wait it reports the outcome', async () => {
  const { stdout } = await emulator.run('bankapi connections refresh con_FDE_123')
  const operation = /op_\w+/.exec(stdout)?.[0]
  expect(stdout).toContain(`Wait for it: bankapi operations wait ${operation}`)
  expect(
    await emulator.transcript(
      `bankapi operations wait ${operation} --jq .status`,
      'bankapi connections refresh con_FDE_123 --wait --columns status',
    ),
  ).toMatchInlineSnapshot(`
    "
    $ bankapi operations wait op_… --jq .status
    succeeded
    $ bankapi connections refresh con_FDE_123 --wait --columns status
    status:	succeeded
    "
  `)
})

it('on a terminal delete asks first: no keeps the Connection, yes deletes it', async () => {
  const id = 'con_AGGREGATOR_B_2001'
  const first = emulator.open(`bankapi connections delete ${id}`)
  await first.sees(`Delete ${id} in local?`)
  first.type('n\r')
  expect(await first.ended).toMatchObject({ code: 2, screen: expect.stringContaining('Not done') })
  expect(await emulator.text(`bankapi connections get ${id} --jq .status`)).toBe('active')

  const second = emulator.open(`bankapi connections delete ${id}`)
  await second.sees(`Delete ${id}`)
  second.type('y\r')
  expect(await second.ended).toMatchObject({ code: 0, screen: expect.stringContaining(`Deleted ${id}`) })
  expect(await emulator.text(`bankapi connections get ${id} --jq .status`)).toBe('disconnected')
})
