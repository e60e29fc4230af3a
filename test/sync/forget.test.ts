/** What `sync forget` erases, on both databases, and that nothing brings it back. */
import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { startEmulator } from '../../src/emulator.ts'
import { forgetClient, heldOf } from '../../src/sync/forget.ts'
import { mirrorStores, openedMirror, synced } from '../support/mirrors.ts'

const CLIENT = 'cli_demo'
const forgotten = { clientId: CLIENT, folder: undefined, now: Date.now() }

describe.each(mirrorStores)('a mirror on $name', ({ missing, place }) => {
  test.skipIf(missing !== undefined).each(['/clients', '/accounts', '/accounts/*/transactions'])(
    'a sync that waits for GET %s while its Client is erased writes nothing of it',
    async (path) => {
      await using emulator = await startEmulator()
      const mirror = await openedMirror(await place())
      await synced(mirror, emulator)
      let erased: Promise<unknown> | undefined
      emulator.faults.add({
        pattern: `GET ${path}`,
        times: 1,
        meanwhile: () => {
          erased = forgetClient(mirror, forgotten)
        },
      })
      await synced(mirror, emulator, { full: true }).catch(({ code }) => expect(code).toBe('stream_taken'))
      expect(erased).toBeDefined()
      await erased
      expect(await heldOf(mirror, CLIENT)).toMatchObject({ known: true, rows: 0 })
      await synced(mirror, emulator)
      expect(await heldOf(mirror, CLIENT)).toMatchObject({ known: true, rows: 0 })
    },
  )

  test.skipIf(missing !== undefined)(
    'a mirror whose Clients were all erased is still that of its customer',
    async () => {
      await using emulator = await startEmulator()
      const mirror = await openedMirror(await place())
      await synced(mirror, emulator)
      await forgetClient(mirror, forgotten)
      expect((await synced(mirror, emulator)).outcome).toBe('complete')
      const runs = () => mirror.db.selectFrom('runs').select('id').execute()
      const before = await runs()
      await using other = await startEmulator({ crowd: { clients: 1, accounts: 1, transactions: 3 } })
      await mirror.db.updateTable('forgotten_clients').set({ client_id: 'cli_of_another' }).execute()
      await expect(synced(mirror, other)).rejects.toMatchObject({ code: 'other_customer' })
      expect(await runs()).toEqual(before)
      expect(await mirror.db.selectFrom('clients').select('id').execute()).toEqual([])
    },
  )

  test.skipIf(missing !== undefined)(
    'an erased Client that the service still lists proves the customer',
    async () => {
      await using emulator = await startEmulator()
      const mirror = await openedMirror(await place())
      await synced(mirror, emulator)
      await forgetClient(mirror, forgotten)
      for (const client_id of ['cli_1', 'cli_2', 'cli_3']) {
        await mirror.db
          .insertInto('forgotten_clients')
          .values({ client_id, forgotten_at: '2020-01-01T00:00:00.000Z' })
          .execute()
      }
      expect((await synced(mirror, emulator)).outcome).toBe('complete')
    },
  )
})

test('a file that another program reads still holds what was erased, and it is said', {
  timeout: 30_000,
}, async () => {
  await using emulator = await startEmulator()
  const to = (await mirrorStores[0]?.place()) ?? ''
  const mirror = await openedMirror(to)
  await synced(mirror, emulator)
  const reader = new DatabaseSync(to, { readOnly: true })
  reader.exec('BEGIN; SELECT * FROM clients')
  await expect(forgetClient(mirror, forgotten)).rejects.toMatchObject({
    code: 'still_held',
    exit: 'operationFailed',
  })
  reader.close()
  await forgetClient(mirror, forgotten)
  for (const file of [to, `${to}-wal`]) expect(readFileSync(file, 'latin1')).not.toContain('acc_AGGREGATOR_A')
})

const [, postgres] = mirrorStores
test.skipIf(postgres?.missing !== undefined)(
  'a Client that a worker reads is not erased before the worker is done or over',
  async () => {
    await using emulator = await startEmulator()
    const mirror = await openedMirror((await postgres?.place()) ?? '')
    await synced(mirror, emulator)
    const before = await heldOf(mirror, CLIENT)
    const leased = (until: string) =>
      mirror.db
        .updateTable('streams')
        .set({ lease: 'of a worker', leased_until: until })
        .where('client_id', '=', CLIENT)
        .where('kind', '=', 'transactions')
        .execute()
    await leased(new Date(Date.now() + 30_000).toISOString())
    await expect(forgetClient(mirror, forgotten)).rejects.toMatchObject({ code: 'busy', exit: 'conflict' })
    expect(await heldOf(mirror, CLIENT)).toEqual(before)
    expect(await mirror.db.selectFrom('forgotten_clients').selectAll().execute()).toEqual([])
    await leased(new Date(Date.now() - 1).toISOString())
    await forgetClient(mirror, forgotten)
    expect(await heldOf(mirror, CLIENT)).toMatchObject({ rows: 0 })
    const { rows } = await sql`
      SELECT relname FROM pg_stat_user_tables
      WHERE schemaname = 'bankapi' AND vacuum_count > 0 AND relname IN ('clients', 'transactions', 'runs')`.execute(
      mirror.db,
    )
    expect(rows).toHaveLength(3)
  },
)
