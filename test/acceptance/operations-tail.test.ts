import { expect, it } from 'vitest'
import { emulatorHome } from '../support/emulator-process.ts'

const home = emulatorHome(['--refresh-timeout', '3s'])

const refresh = async (id: string) =>
  (await home.json<{ operation_id: string }>(['connections', 'refresh', id])).operation_id

/** A Connection of an institution, linked. */
async function linked(institution: string): Promise<string> {
  const client = await home.json<{ id: string }>(['clients', 'create'])
  const initiated = await home.json<{ result: { connection: { id: string } } }>([
    ...['connections', 'initiate', '--client', client.id, '--institution', institution, '--wait'],
  ])
  const { id } = initiated.result.connection
  return (await home.json<{ connection_id: string }>(['emulator', 'link', id])).connection_id
}

it('without ids it follows the running operations of this machine, with a line for each change', async () => {
  const operation = await refresh('con_FDE_123')
  const { code, stdout, stderr } = await home.run(['operations', 'tail'])
  expect([code, stderr]).toEqual([0, ''])
  const lines = stdout.trim().split('\n')
  expect(lines.at(-1)).toMatch(new RegExp(`succeeded {2}account.refresh {2}${operation} {2}con_FDE_123$`))
  expect(new Set(lines).size).toBe(lines.length)
})

it('without running operations there is a note on stderr and no error', async () => {
  const { code, stdout, stderr } = await home.run(['operations', 'tail'])
  expect([code, stdout]).toEqual([0, ''])
  expect(stderr).toContain('No operation of local is under way')
})

it('--json prints the operation as the API spells it, one per line; --jq filters each', async () => {
  const operation = await refresh('con_FDE_123')
  const { stdout } = await home.run(['operations', 'tail', operation, '--json'])
  const last = JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
  expect(last).toMatchObject({ id: operation, status: 'succeeded', type: 'account.refresh' })
  const filtered = await home.run(['operations', 'tail', operation, '--jq', '.status'])
  expect(filtered.stdout).toBe('succeeded\n')
})

it('9: an operation failed, whatever the outcome of the others', async () => {
  const [good, bad] = [await refresh('con_FDE_123'), await refresh(await linked('ins_fde_mfa'))]
  const { code, stdout } = await home.run(['operations', 'tail', good, bad])
  expect(code).toBe(9)
  expect(stdout).toMatch(new RegExp(`failed .*${bad}.*mfa_required`))
  expect(stdout).toMatch(new RegExp(`succeeded .*${good}`))
})

it('5: a given operation does not exist', async () => {
  const { code, stderr } = await home.run(['operations', 'tail', 'op_nope'])
  expect(code).toBe(5)
  expect(stderr).toContain('op_nope')
})

it('130: Ctrl-C stops following, and says how to resume', async () => {
  const operation = await refresh(await linked('ins_a_silent'))
  const tail = home.start(['operations', 'tail', operation])
  await tail.line((line) => line.includes('queued'))
  tail.process.kill('SIGINT')
  const { code, stderr } = await tail.ended
  expect(code).toBe(130)
  expect(stderr).toContain('bankapi operations tail')
})

it('a failed operation that is waited for names its Connection', async () => {
  const connection = await linked('ins_fde_mfa')
  const operation = await refresh(connection)
  const { code, stderr } = await home.run(['operations', 'wait', operation])
  expect(code).toBe(9)
  expect(stderr).toContain(`bankapi connections reauthorize ${connection}`)
})
