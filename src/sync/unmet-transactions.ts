/** Settles transactions that a walk past their place did not meet: each is asked for by its id (rules 3 and 5). */
import type { Transaction } from '../contract/transactions.ts'
import { AccountGoneError, type Answer, type MissingRow, type Proof, proveGone } from './gone.ts'
import type { MirrorTransaction } from './mirror/mirror.ts'
import type { Owner } from './rows.ts'
import { type RunContext, timestamp } from './run-context.ts'
import type { StoredTransactions } from './stored-transactions.ts'

export interface UnmetRow extends MissingRow {
  readonly pending: boolean | number
}

/** Asks for rows by their id. @throws AccountGoneError when they are not found because their account is not. */
export async function proveUnmet(
  context: RunContext,
  { account_id, client_id }: Owner,
  rows: readonly UnmetRow[],
): Promise<Proof<UnmetRow, Transaction>> {
  const { mirror, reader } = context
  const { live } = await mirror.db
    .selectFrom('transactions')
    .select((is) => is.fn.countAll<number>().as('live'))
    .where('account_id', '=', account_id)
    .where('gone_at', 'is', null)
    .executeTakeFirstOrThrow()
  const ask = async ({ id }: UnmetRow): Promise<Answer<Transaction>> => {
    const item = await reader.byId((options) =>
      reader.api.transactions.get({ transaction_id: id, client_id }, options),
    )
    if (item === undefined) return { is: 'not_found' }
    if (typeof item.account_id === 'string' && item.account_id !== account_id) return { is: 'moved' }
    // The listing is what says the account; a single read may leave it out.
    return { is: 'there', item: { ...item, account_id } }
  }
  const proof = await proveGone(context, rows, {
    live: Number(live),
    what: `transactions of ${account_id}`,
    ask,
    // Banks drop every charge that they reissue.
    isLoss: ({ pending }) => !pending,
  })
  if (proof.gone.length > 0) {
    const account = await reader.byId((options) =>
      reader.api.accounts.get({ account_id, client_id }, options),
    )
    if (account === undefined) throw new AccountGoneError(account_id)
  }
  return proof
}

/** Writes what a proof came to: what is there as it is now, what is gone with its reason. */
export async function markUnmet(
  context: RunContext,
  stored: StoredTransactions,
  db: MirrorTransaction,
  { gone, there }: Proof<UnmetRow, Transaction>,
): Promise<void> {
  const now = timestamp(context)
  await stored.write(
    db,
    there.map(({ item }) => item),
    () => undefined,
  )
  for (const { row } of there) await stored.change(db, row.id, { missing_since: row.missing_since ?? now })
  for (const { row, because } of gone) {
    const reason = because === 'not_found' ? (row.pending ? 'dropped' : 'retracted') : because
    await stored.change(db, row.id, {
      gone_at: now,
      gone_reason: reason,
      missing_since: null,
      changed_at: now,
    })
    context.counts.of('transactions').gone += 1
  }
}
