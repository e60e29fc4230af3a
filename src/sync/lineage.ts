/**
 * Finds accounts that continue another after a re-link, which gives new ids while the old Connection may stay (rule 8). The
 * successor is inferred from type, currency and mask, and exact when their settled rows are equal one to one.
 */
import { sql } from 'kysely'
import type { MirrorTransaction } from './mirror/mirror.ts'
import { dayMs, type RunContext, timestamp } from './run-context.ts'

const MIN_ROWS = 20
const MIN_DAYS = 30

/** Updates the lineage of one Client's accounts. */
export async function findLineage(
  context: Pick<RunContext, 'reader' | 'mirror'>,
  db: MirrorTransaction,
  clientId: string,
): Promise<void> {
  const accounts = await db
    .selectFrom('accounts')
    .select(['id', 'connection_id', 'type', 'iso_currency_code', 'mask', 'created_at', 'first_seen_at'])
    .where('client_id', '=', clientId)
    .where('mask', 'is not', null)
    .orderBy(sql`coalesce(created_at, first_seen_at)`)
    .orderBy('id')
    .execute()
  const alike = Map.groupBy(
    accounts,
    ({ type, iso_currency_code, mask }) => `${type} ${iso_currency_code} ${mask}`,
  )
  for (const [older, newer] of [...alike.values()].flatMap(successions)) {
    const since = await oldestDate(db, newer.id)
    if (since === null) continue
    const known = await db
      .selectFrom('account_lineage')
      .select(['match', 'matching_rows'])
      .where('old_account_id', '=', older.id)
      .where('new_account_id', '=', newer.id)
      .executeTakeFirst()
    // Proven once is proven: what the bank changes later in one of the two is not changed in the other.
    const rows =
      known?.match === 'exact' ? known.matching_rows : await matchingRows(db, older.id, newer.id, since)
    await context.mirror.put(db, 'account_lineage', [
      {
        old_account_id: older.id,
        new_account_id: newer.id,
        client_id: clientId,
        match: rows === undefined ? 'inferred' : 'exact',
        matching_rows: rows ?? null,
        since,
        first_seen_at: timestamp(context),
      },
    ])
  }
}

/**
 * Each account with each that may continue it: of a bank that is linked every few months there are several. Accounts that one
 * Connection has side by side are different ones, however alike they are.
 */
function successions<A extends { readonly connection_id: string | null }>(alike: readonly A[]): [A, A][] {
  if (new Set(alike.map(({ connection_id }) => connection_id)).size < alike.length) return []
  return alike.flatMap((older, index) => alike.slice(index + 1).map((newer): [A, A] => [older, newer]))
}

async function oldestDate(db: MirrorTransaction, accountId: string): Promise<string | null> {
  const oldest = await settledOf(db, accountId).select('date').orderBy('date').limit(1).executeTakeFirst()
  return oldest?.date ?? null
}

/** How many settled rows the two have on the days that both cover, when they are equal one to one; else undefined. */
async function matchingRows(
  db: MirrorTransaction,
  older: string,
  newer: string,
  since: string,
): Promise<number | undefined> {
  const last = async (id: string) =>
    (await settledOf(db, id).select('date').orderBy('date', 'desc').limit(1).executeTakeFirst())?.date ?? null
  const [lastOfOlder, lastOfNewer] = [await last(older), await last(newer)]
  if (lastOfOlder === null || lastOfNewer === null) return undefined
  const until = lastOfOlder < lastOfNewer ? lastOfOlder : lastOfNewer
  if (Date.parse(until) - Date.parse(since) < MIN_DAYS * dayMs) return undefined
  const perDay = (id: string) =>
    settledOf(db, id)
      .select((is) => ['date', 'amount_minor', 'amount_exponent', is.fn.countAll<number>().as('rows')])
      .where('date', '>=', since)
      .where('date', '<=', until)
      .groupBy(['date', 'amount_minor', 'amount_exponent'])
  const [one] = await perDay(older).except(perDay(newer)).limit(1).execute()
  const [other] = await perDay(newer).except(perDay(older)).limit(1).execute()
  if (one !== undefined || other !== undefined) return undefined
  const { rows } = await settledOf(db, older)
    .select((is) => is.fn.countAll<number>().as('rows'))
    .where('date', '>=', since)
    .where('date', '<=', until)
    .executeTakeFirstOrThrow()
  return Number(rows) >= MIN_ROWS ? Number(rows) : undefined
}

function settledOf(db: MirrorTransaction, accountId: string) {
  return db
    .selectFrom('transactions')
    .where('account_id', '=', accountId)
    .where('pending', '=', false)
    .where('gone_at', 'is', null)
}
