import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { emulatorShell } from '../support/emulator-shell.ts'

const emulator = emulatorShell(['--first-signal', '50ms'])
const trigger = (type: string, connection: string, set = '') =>
  emulator.text(`bankapi emulator trigger ${type} --connection ${connection} ${set}`)
const triage = async (flags = '') => {
  const { code, stdout, stderr } = await emulator.run(`bankapi connections triage ${flags} --json`)
  return { code, stderr, ...(stdout === '' ? {} : JSON.parse(stdout)) }
}

it('nothing is shown while all work, and --exit-status says whether any does not (exit 9)', async () => {
  expect(await triage('--exit-status')).toMatchObject({ code: 0, data: [], checked: 3 })
  await trigger('connection.failed', 'con_AGGREGATOR_A_1001')
  expect(await triage()).toMatchObject({ code: 0, stderr: '1 of 3 Connections needs somebody.\n' })
  const { code, data } = await triage('--exit-status')
  expect(code).toBe(9)
  expect(data).toMatchObject([
    {
      connection_id: 'con_AGGREGATOR_A_1001',
      client_id: 'cli_demo',
      client_external_id: 'demo-1',
      status: 'failed',
      code: 'institution_unavailable',
      who_can_act: 'bank',
      next: 'bankapi connections get con_AGGREGATOR_A_1001',
    },
  ])
  expect((await triage('--status disconnected --exit-status')).code).toBe(0)
})

it('connections get shows the reason and the next step, also of a disconnected one; its JSON stays the API’s', async () => {
  await trigger('connection.disconnected', 'con_FDE_123')
  const text = await emulator.text('bankapi connections get con_FDE_123 --env local')
  expect(text).toContain('reason:\taccess ended')
  expect(text).toContain(
    'next:\tbankapi connections initiate --client cli_demo --institution ins_fde_ok --until-active --env local',
  )
  expect(await emulator.text('bankapi connections get con_FDE_123 --json')).not.toContain('access ended')
  expect(await emulator.text('bankapi connections get con_AGGREGATOR_A_1001')).not.toContain('reason:')
})

it('the command it names works: linked again, the disconnected one needs nobody', async () => {
  await trigger('connection.disconnected', 'con_AGGREGATOR_B_2001')
  const [{ next }] = (await triage()).data
  const initiated = emulator.run(next.replace('--until-active', '--wait --json'))
  const { connection } = JSON.parse((await initiated).stdout).result
  await emulator.text(`bankapi emulator link ${connection.id}`)
  const again = await triage()
  expect(again).toMatchObject({ data: [], checked: 4, linked_again: ['con_AGGREGATOR_B_2001'] })
  expect(again.stderr).toContain('1 disconnected one was linked again since, and left out.')
})

it('with a key that may not read accounts it says so, and judges by the status', async () => {
  const { secret } = JSON.parse(
    await emulator.text('bankapi keys create --scopes read:clients,read:connections --json'),
  )
  await trigger('connection.failed', 'con_AGGREGATOR_A_1001')
  const { code, stdout, stderr } = await emulator.run('bankapi connections triage --json', {
    env: {
      BANKAPI_ENV: 'sandbox',
      BANKAPI_BASE_URL: emulator.home.sandbox.base_url,
      BANKAPI_API_KEY: secret,
    },
  })
  expect(code, stderr).toBe(0)
  expect(stderr).toContain('read:accounts')
  expect(JSON.parse(stdout).data).toHaveLength(1)
})

it.each([
  ['connections', '/clients/*/connections'],
  ['accounts', '/accounts'],
])(
  'a Client whose %s are gone since it was listed is said, and --exit-status is not 0 then (exit 9)',
  async (_, path) => {
    const fault = `bankapi emulator faults add 'GET ${path}' --status 404 --times 1`
    const gone = 'cli_demo is gone since it was listed\n'
    await emulator.text(fault)
    const found = await triage('--exit-status')
    expect(found.code).toBe(9)
    expect(found.stderr).toContain(gone)
    await emulator.text(fault)
    expect((await triage()).code).toBe(0)
  },
)

it('with a key that may not read accounts --exit-status is not 0: stale ones are not known (exit 9)', async () => {
  const { secret } = JSON.parse(
    await emulator.text('bankapi keys create --scopes read:clients,read:connections --json'),
  )
  const env = {
    BANKAPI_ENV: 'sandbox',
    BANKAPI_BASE_URL: emulator.home.sandbox.base_url,
    BANKAPI_API_KEY: secret,
  }
  const { code, stdout } = await emulator.run('bankapi connections triage --exit-status --json', { env })
  expect([code, JSON.parse(stdout).data]).toEqual([9, []])
})

it('the clock of the service counts: after three days without a refresh accounts are stale', async () => {
  await trigger('connection.requires_action', 'con_FDE_123', '--set code=desktop_app_required')
  await emulator.text('bankapi emulator advance 72h')
  const { data } = await triage()
  expect(data).toHaveLength(1)
  expect(data[0].stale_accounts.length).toBeGreaterThan(0)
  expect((await triage('--stale-after 100h')).data[0].stale_accounts).toEqual([])
})

it('--from-mirror says the same as the service at the time of the sync, and asks the service for nothing', async () => {
  await trigger('connection.requires_action', 'con_FDE_123')
  await emulator.text('bankapi sync')
  const { data } = await triage()
  await trigger('connection.active', 'con_FDE_123')
  await trigger('connection.failed', 'con_AGGREGATOR_A_1001')
  const closed = { BANKAPI_BASE_URL: 'http://127.0.0.1:1/v3' }
  const { code, stdout, stderr } = await emulator.run('bankapi connections triage --from-mirror --json', {
    env: closed,
  })
  expect(code, stderr).toBe(0)
  expect(JSON.parse(stdout).data).toEqual(data)
  expect(stderr).toMatch(/^From the mirror .* as it was at \d{4}-/)
  // It saw when the status was taken, which another change of the Connection does not move.
  await emulator.text('bankapi sync')
  expect(
    JSON.parse((await emulator.run('bankapi connections triage --from-mirror --json')).stdout).data,
  ).toMatchObject([{ connection_id: 'con_AGGREGATOR_A_1001' }])
})

it('--from-mirror of a mirror that is not complete: --exit-status is not 0 (exit 9)', async () => {
  await emulator.text('bankapi sync')
  expect((await triage('--from-mirror --exit-status')).code).toBe(0)
  const mirror = new DatabaseSync(`${emulator.home.folder}/data/mirror-local.sqlite`)
  mirror.exec(`UPDATE streams SET complete_at = NULL WHERE kind = 'connections'`)
  mirror.close()
  expect(await triage('--from-mirror --exit-status')).toMatchObject({ code: 9, data: [] })
})

it('without a mirror, or with one of another environment, it says so (exit 5, 2)', async () => {
  expect((await triage('--from-mirror')).code).toBe(5)
  await emulator.text('bankapi sync')
  const { folder } = emulator.home
  const other = await emulator.run('bankapi connections triage --from-mirror --env live', {
    env: { BANKAPI_SYNC_TO: `${folder}/data/mirror-local.sqlite` },
  })
  expect(other.code).toBe(2)
  expect(other.stderr).toContain('is of local, not of live')
  expect((await triage('--from-mirror --client cli_nobody')).code).toBe(5)
})
