/**
 * After any history the mirror equals the service. BANKAPI_SYNC_HISTORIES plays more of them, BANKAPI_SYNC_SEED a certain one:
 *
 *     BANKAPI_SYNC_SEED=17 npx vitest run test/sync/equal.test.ts
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { postgresServer, whyNoPostgres } from '../support/postgres.ts'
import { countersOfHistories, History, type Reached } from '../support/sync-history.ts'

const seed = process.env['BANKAPI_SYNC_SEED']
const histories = seed === undefined ? Number(process.env['BANKAPI_SYNC_HISTORIES'] ?? 1) : 1
const first = Number(seed ?? process.env['BANKAPI_SYNC_FIRST'] ?? Math.floor(Date.now() / 1000) % 1_000_000)

/** Histories at most that are played for what the others did not reach. */
const MORE = 15

const mustReach: readonly Reached[] = [
  'a kill on page three',
  'a cursor refused',
  'a row moving up in mid-walk',
  'a change while its account is being walked',
  '1,000 rows re-recorded unchanged above a new one',
]

const folder = mkdtempSync(join(tmpdir(), 'bankapi-equal-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Store {
  readonly name: string
  /** Why it cannot be tested here. */
  readonly missing?: string | undefined
  /** Makes what makes empty mirrors, each of which it gives as an address. */
  readonly start: () => Promise<(number: number) => Promise<string> | string>
}

const stores: readonly Store[] = [
  { name: 'SQLite', start: async () => (number) => join(folder, `${number}.sqlite`) },
  {
    name: 'Postgres',
    missing: whyNoPostgres(),
    start: async () => {
      const server = await postgresServer()
      return () => server.database()
    },
  },
]

for (const { name, missing, start } of stores) {
  describe.skipIf(missing !== undefined)(`on ${name} ${missing ?? ''}`, async () => {
    const create = missing === undefined ? await start() : () => ''
    test(
      'after every run the mirror equals a full walk by independent code',
      async () => {
        const reached = countersOfHistories()
        const missed = () => (seed === undefined ? mustReach.filter((what) => reached[what] === 0) : [])
        let next = first
        // One history reaches most of what it has to; more are played for the rest.
        while (next < first + histories || (missed().length > 0 && next < first + histories + MORE)) {
          await new History(next, await create(next), reached).play(8)
          next += 1
        }
        console.info(`${name}, seeds ${first} to ${next - 1}: ${JSON.stringify(reached)}`)
        expect(missed()).toEqual([])
      },
      (histories + MORE) * 120_000,
    )
  })
}
