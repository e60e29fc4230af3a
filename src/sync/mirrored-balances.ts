/** Reads the history of an account's balance that the mirror keeps and the API does not. */
import type { AccountType } from '../contract/accounts.ts'
import type { SeenBalances } from '../workflows/balance-history.ts'
import type { Mirror } from './mirror/mirror.ts'

/** `days` are those on which the mirror saw a new balance, in UTC. */
export interface MirroredBalances extends SeenBalances {
  readonly account: {
    readonly id: string
    readonly name: string | null
    readonly type: AccountType
    readonly mask: string | null
    readonly iso_currency_code: string
  }
}

/** Undefined for an account that the mirror does not have, or has no balance of. */
export async function mirroredBalances(
  { db }: Mirror,
  accountId: string,
): Promise<MirroredBalances | undefined> {
  const account = await db
    .selectFrom('accounts')
    .select(['id', 'client_id', 'name', 'type', 'mask', 'iso_currency_code', 'gone_at'])
    .where('id', '=', accountId)
    .executeTakeFirst()
  if (account === undefined) return undefined
  const changes = await db
    .selectFrom('account_balances')
    .select(['changed_at', 'current_balance'])
    .where('account_id', '=', accountId)
    .where('current_balance', 'is not', null)
    .orderBy('changed_at')
    .execute()
  const byDay = new Map(
    changes.map(({ changed_at, current_balance }) => [changed_at.slice(0, 10), Number(current_balance)]),
  )
  const days = [...byDay].map(([date, current_balance]) => ({ date, current_balance }))
  const last = days.at(-1)
  if (last === undefined) return undefined
  const listing = await db
    .selectFrom('streams')
    .select('complete_at')
    .where('kind', '=', 'accounts')
    .where('subject', '=', account.client_id)
    .executeTakeFirst()
  const read = (account.gone_at ?? listing?.complete_at ?? last.date).slice(0, 10)
  const { id, name, type, mask, iso_currency_code } = account
  return {
    account: { id, name, type: type as AccountType, mask, iso_currency_code: iso_currency_code ?? '' },
    days,
    through: read > last.date ? read : last.date,
  }
}
