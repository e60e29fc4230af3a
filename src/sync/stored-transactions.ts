/** The rows that the mirror has of an account's transactions: how they are written from a listing, and what is known of them. */
import type { Transaction } from '../contract/transactions.ts'
import { present } from './listing.ts'
import type { MirrorTransaction, NewRow } from './mirror/mirror.ts'
import { cleaned, type Owner, transactionRow } from './rows.ts'
import { dayMs, type RunContext, timestamp } from './run-context.ts'

export class StoredTransactions {
  readonly #context: RunContext
  readonly #account: Owner

  constructor(context: RunContext, account: Owner) {
    this.#context = context
    this.#account = account
  }

  /**
   * Writes transactions as they are listed. A row gets the position that `place` gives, an unchanged one only when that is not
   * undefined. Returns what was stored before, and the ids of what is new or changed.
   */
  async write(
    db: MirrorTransaction,
    items: readonly Transaction[],
    place: (id: string, before: number | undefined) => number | undefined,
  ) {
    const { mirror, counts } = this.#context
    const { account_id } = this.#account
    const now = timestamp(this.#context)
    const rows = new Map(items.map((item) => [item.id, transactionRow(cleaned(item), this.#account)]))
    if (rows.size === 0) return { stored: new Map(), changed: new Set<string>() }
    const found = await db
      .selectFrom('transactions')
      .select([
        'id',
        'fingerprint',
        'position',
        'pending',
        'gone_at',
        'missing_since',
        'changed_at',
        'first_seen_at',
        'settled_at',
      ])
      .where('account_id', '=', account_id)
      .where('id', 'in', mirror.oneOf([...rows.keys()]))
      .execute()
    const stored = new Map(found.map((row) => [row.id, row]))
    const changed = new Set<string>()
    const written: NewRow<'transactions'>[] = []
    const count = counts.of('transactions')
    for (const [id, row] of rows) {
      const before = stored.get(id)
      const position = place(id, before?.position)
      const same = before !== undefined && before.fingerprint === row.fingerprint && before.gone_at === null
      if (!same) changed.add(id)
      const settles = before !== undefined && Boolean(before.pending) && row.pending === false
      if (before === undefined) count.new += 1
      else if (settles) count.settled += 1
      else if (!same) count.changed += 1
      if (same && before.missing_since === null && (position === undefined || position === before.position))
        continue
      written.push({
        ...row,
        ...present,
        // Only what is stored may be without a place.
        position: position ?? before?.position ?? 0,
        // Of a row that was dropped and came back.
        superseded_by: null,
        superseded_match: null,
        settled_at: settles ? now : (before?.settled_at ?? null),
        first_seen_at: before?.first_seen_at ?? now,
        changed_at: same ? before.changed_at : now,
      })
    }
    await mirror.put(db, 'transactions', written)
    return { stored, changed }
  }

  async change(db: MirrorTransaction, id: string, changes: NewRow<'transactions'>): Promise<void> {
    await db
      .updateTable('transactions')
      .set(changes)
      .where('account_id', '=', this.#account.account_id)
      .where('id', '=', id)
      .execute()
  }

  /** The date of the oldest charge that is pending; undefined when none is. */
  async oldestPending(): Promise<string | undefined> {
    const [first] = await this.live().where('pending', '=', true).orderBy('date').limit(1).execute()
    return first?.date ?? undefined
  }

  /** The rows that are not gone. */
  live() {
    return this.#context.mirror.db
      .selectFrom('transactions')
      .select(['id', 'missing_since', 'pending', 'date'])
      .where('account_id', '=', this.#account.account_id)
      .where('gone_at', 'is', null)
  }

  /** Whether it is time for the second listing of a row that one lacked, though it reads by its id. */
  async isMissingForADay(): Promise<boolean> {
    const since = new Date(this.#context.reader.now() - dayMs).toISOString()
    return (await this.live().where('missing_since', '<=', since).limit(1).execute()).length > 0
  }
}
