import { expect, it } from 'vitest'
import { emulatorShell } from '../support/emulator-shell.ts'

const emulator = emulatorShell(['--refresh-duration', '700ms'])

it('operations that this machine started are listed, shown and waited for', async () => {
  const id = await emulator.text('bankapi connections refresh con_FDE_123 --jq .operation_id')
  expect(
    await emulator.transcript(
      'bankapi operations list --columns type,subject,status',
      `bankapi operations wait ${id} --jq .status`,
      `bankapi operations get ${id}`,
      'bankapi operations list --columns type,subject,status',
      'bankapi operations list --status queued',
      'bankapi operations get op_unknown --json',
    ),
  ).toMatchInlineSnapshot(`
    "
    $ bankapi operations list --columns type,subject,status
    account.refresh	con_FDE_123	queued
    $ bankapi operations wait op_… --jq .status
    succeeded
    $ bankapi operations get op_…
    id:	op_…
    type:	account.refresh
    status:	succeeded
    created_at:	TIME
    completed_at:	TIME
    $ bankapi operations list --columns type,subject,status
    account.refresh	con_FDE_123	succeeded
    $ bankapi operations list --status queued
    2> No queued operations of local are in the inbox.
    $ bankapi operations get op_unknown --json
    2> {"error":{"code":"not_found","message":"There is no op_unknown for this customer in local","service_message":"No such operation.","type":"invalid_request_error","category":"INVALID_REQUEST_ERROR","trace_id":"UUID","doc_url":"http://127.0.0.1:PORT/errors/not_found","hint":"Check the id, the Client and the environment: what belongs to another one reads as not found","http_status":404,"exit_code":5}}
    [exit 5]
    "
  `)
})

it('after the clock of the emulator was moved, both times of a row are by that clock', async () => {
  await emulator.text('bankapi emulator advance 24h')
  const done = JSON.parse(await emulator.text('bankapi connections refresh con_FDE_123 --wait --json'))
  const { data } = JSON.parse(await emulator.text('bankapi operations list --json'))
  expect(data).toMatchObject([{ id: done.id, started_at: done.created_at, completed_at: done.completed_at }])
  expect(Date.parse(done.created_at) - Date.now()).toBeGreaterThan(23 * 3_600_000)
})

it('on a terminal a wait shows the elapsed time, and leaves only the result', async () => {
  const id = await emulator.text('bankapi connections refresh con_FDE_123 --jq .operation_id')
  const { code, raw, screen } = await emulator.open(`bankapi operations wait ${id}`).ended
  expect(code).toBe(0)
  expect(raw).toContain('account.refresh queued')
  expect(screen).not.toContain('queued')
  expect(screen).toMatch(/status:\s+succeeded/)
})
