/** The history of a balance that a mirror keeps, in both databases. */
import { describe, expect, test } from 'vitest'
import { mirroredBalances } from '../../src/sync/mirrored-balances.ts'
import { mirrorStores, openedMirror, synced } from '../support/mirrors.ts'
import { runningEmulator } from '../support/running-emulator.ts'

const account = 'acc_AGGREGATOR_A_100101'

describe.each(mirrorStores)('in $name', ({ place, missing, name }) => {
  const options = name === 'Postgres' ? { tags: ['postgres'] } : {}
  test.skipIf(missing !== undefined)(
    'is the last balance of each day, until the last reading',
    options,
    async () => {
      const emulator = await runningEmulator()
      const { sandbox } = emulator
      const mirror = await openedMirror(await place())
      expect(await mirroredBalances(mirror, account).catch(() => undefined)).toBeUndefined()
      const service = { baseUrl: sandbox.base_url, apiKey: sandbox.api_key }
      await synced(mirror, service)
      const at = (changed_at: string, current_balance: string) => ({
        account_id: account,
        changed_at,
        client_id: 'cli_demo',
        iso_currency_code: 'USD',
        current_balance,
        amount_exponent: 2,
      })
      await mirror.transaction((db) =>
        mirror.put(db, 'account_balances', [
          at('2026-01-02T08:00:00.000Z', '1.10'),
          at('2026-01-01T08:00:00.000Z', '5'),
          at('2026-01-02T23:59:59.000Z', '-1234567.89'),
        ]),
      )
      const found = await mirroredBalances(mirror, account)
      expect(found?.days.slice(0, 2)).toEqual([
        { date: '2026-01-01', current_balance: 5 },
        { date: '2026-01-02', current_balance: -1234567.89 },
      ])
      const [read] = await mirror.db
        .selectFrom('streams')
        .select('complete_at')
        .where('kind', '=', 'accounts')
        .where('subject', '=', 'cli_demo')
        .execute()
      expect(found?.through).toBe(read?.complete_at?.slice(0, 10))
      expect(found?.account).toMatchObject({
        id: account,
        type: 'checking',
        mask: '4821',
        iso_currency_code: 'USD',
      })
      expect(await mirroredBalances(mirror, 'acc_FDE_0')).toBeUndefined()
    },
  )
})
