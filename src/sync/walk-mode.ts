/** Decides what a run reads of an account's transactions: everything, what is new, a window of time, or nothing (rules 2 and 6). */
import { hash } from 'node:crypto'
import type { Owner } from './rows.ts'
import { dayMs, type RunContext } from './run-context.ts'
import type { StoredTransactions } from './stored-transactions.ts'
import type { Stream } from './streams.ts'

/** An account as a listing of this run has it: what decides about its walk was read before the walk. */
export interface WalkedAccount extends Owner {
  readonly updated_at: string | null
  readonly last_refreshed_at: string | null
  readonly oldest_transaction_date: string | null
  /** When the listing was read. */
  readonly read_at: string
}

/** A change that an account's updated_at reports may still be under way for this long. */
const UPDATE_SETTLES_MS = 2 * 60_000

/** What this run has to read of an account, of which `stream` and `stored` are what the last runs left. */
export async function walkMode(
  { full, reader }: Pick<RunContext, 'full' | 'reader'>,
  account: WalkedAccount,
  stream: Stream,
  stored: Pick<StoredTransactions, 'oldestPending' | 'isMissingForADay'>,
): Promise<'none' | 'first page' | 'window' | 'incremental' | 'full'> {
  const { full_at, complete_at, oldest_transaction_date: oldest } = stream
  const { account_id, last_refreshed_at, oldest_transaction_date } = account
  if (full || full_at === null || complete_at === null) return 'full'
  if (oldest !== null && oldest_transaction_date !== null && oldest_transaction_date < oldest) return 'full'
  if (reader.now() - Date.parse(full_at) >= fullEveryMs(account_id)) return 'full'
  if (await stored.isMissingForADay()) return 'full'
  if (!isUnchanged(account, stream)) return 'incremental'
  if (last_refreshed_at === null) return 'first page'
  return (await stored.oldestPending()) === undefined ? 'none' : 'window'
}

/** Rule 6: both times are those read before the last complete walk, and the service had them for two minutes then. */
function isUnchanged({ updated_at, last_refreshed_at }: WalkedAccount, stream: Stream): boolean {
  const { error_code, cursor, account_updated_at, account_refreshed_at, account_read_at } = stream
  return (
    error_code === null &&
    cursor === null &&
    updated_at !== null &&
    account_read_at !== null &&
    updated_at === account_updated_at &&
    last_refreshed_at === account_refreshed_at &&
    Date.parse(account_read_at) - Date.parse(updated_at) > UPDATE_SETTLES_MS
  )
}

/**
 * How long after a full walk of an account the next one is due: at most 7 days with a run a day, and spread over the days by
 * account, so that not all of them are due in one run.
 */
function fullEveryMs(accountId: string): number {
  // Numbered ids, which differ in their last characters alone, have to be spread, too.
  const share = Number.parseInt(hash('sha256', accountId, 'hex').slice(0, 8), 16) / 2 ** 32
  return (3.5 + share * 2.4) * dayMs
}
