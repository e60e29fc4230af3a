/**
 * Walks the transactions of an account, which are listed most recently recorded first, and a changed one can come again.
 *
 * Known is a row stored by a walk that reached its end. A killed walk resumes by its cursor, then walks from page one; a refused
 * cursor starts over. An incremental walk ends after two whole pages that are known, unchanged and in stored order; then it lists
 * everything from 14 days ago, or from the oldest pending date. One that meets the end of the list instead was a full one.
 */
import { hash } from 'node:crypto'
import { ApiResponseError } from '../api/errors.ts'
import type { Page } from '../contract/endpoint.ts'
import type { Transaction } from '../contract/transactions.ts'
import { AccountGoneError, type Answer, type MissingRow, type Proof, proveGone } from './gone.ts'
import { present } from './listing.ts'
import type { MirrorTransaction, NewRow } from './mirror/mirror.ts'
import { matchReissues } from './reissues.ts'
import { cleaned, type Owner, transactionRow } from './rows.ts'
import { dayMs, type RunContext, timestamp } from './run-context.ts'
import { advance, completed, type Stream, takeStream } from './streams.ts'

/** An account as a listing of this run has it: what decides about its walk was read before the walk. */
export interface WalkedAccount extends Owner {
  readonly updated_at: string | null
  readonly last_refreshed_at: string | null
  readonly oldest_transaction_date: string | null
  /** When the listing was read. */
  readonly read_at: string
}

/** Positions of one walk: a later walk's are larger, and within a walk they fall from row to row. */
const WALK_SPAN = 2 ** 32
/** Rows above a page that a walk did not meet are asked for by id up to this many; more mean another order. */
const MAX_ASKED = 20
/** Whole pages that are known, unchanged and in order, after which an incremental walk ends. */
const KNOWN_PAGES = 2
const WINDOW_MS = 14 * dayMs
/** A change that an account's updated_at reports may still be under way for this long. */
const UPDATE_SETTLES_MS = 2 * 60_000

/**
 * Reads what has to be read of one account. Returns whether it walked it from page one, which takes time in which others may be
 * recorded. Rejects with the error of the service or the mirror.
 */
export async function walkTransactions(context: RunContext, account: WalkedAccount): Promise<boolean> {
  return new TransactionsWalk(context, account).run()
}

class TransactionsWalk {
  readonly #context: RunContext
  readonly #account: WalkedAccount
  #stream!: Stream
  /** Rows that answered when they were asked for by id, though no page had them yet: the order is another one. */
  readonly #elsewhere = new Set<string>()

  constructor(context: RunContext, account: WalkedAccount) {
    this.#context = context
    this.#account = account
  }

  async run(): Promise<boolean> {
    const { account_id: subject, client_id: clientId } = this.#account
    this.#stream = await takeStream(this.#context, { kind: 'transactions', subject, clientId })
    const mode = await this.#mode()
    if (mode === 'none') {
      await this.#commit((db) => this.#end(db, {}))
      return false
    }
    const { cursor, walk, walk_mode } = this.#stream
    const resumed = cursor !== null && (await this.#resume())
    let whole = mode === 'full'
    if (mode === 'window') await this.#window()
    else if (mode === 'full') await this.#full(resumed && walk_mode === 'full' ? walk : undefined)
    else whole = await this.#incremental(mode === 'first page' ? 1 : KNOWN_PAGES)
    await this.#complete(whole)
    return mode === 'incremental' || mode === 'full'
  }

  /** Rule 2 and rule 6: what this run has to read. */
  async #mode(): Promise<'none' | 'first page' | 'window' | 'incremental' | 'full'> {
    const { full, reader } = this.#context
    const { full_at, complete_at, oldest_transaction_date: oldest } = this.#stream
    const { account_id, last_refreshed_at, oldest_transaction_date } = this.#account
    if (full || full_at === null || complete_at === null) return 'full'
    if (oldest !== null && oldest_transaction_date !== null && oldest_transaction_date < oldest) return 'full'
    if (reader.now() - Date.parse(full_at) >= fullEveryMs(account_id)) return 'full'
    if (await this.#isMissingForADay()) return 'full'
    if (!this.#isUnchanged()) return 'incremental'
    if (last_refreshed_at === null) return 'first page'
    return (await this.#oldestPending()) === undefined ? 'none' : 'window'
  }

  /** Rule 6: both times are those read before the last complete walk, and the service had them for two minutes then. */
  #isUnchanged(): boolean {
    const { error_code, cursor, account_updated_at, account_refreshed_at, account_read_at } = this.#stream
    const { updated_at, last_refreshed_at } = this.#account
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

  /** Goes on where a walk was cut short, to its end. False when the service refuses the cursor: the next walk starts over. */
  async #resume(): Promise<boolean> {
    const { cursor, walk_mode } = this.#stream
    try {
      await this.#pages({
        cursor: cursor ?? undefined,
        enough: walk_mode === 'full' ? undefined : KNOWN_PAGES,
      })
      return true
    } catch (error) {
      if (!(error instanceof ApiResponseError) || error.httpStatus !== 400) throw error
      this.#stream = await this.#commit((db) => advance(this.#context, db, this.#stream, { cursor: null }))
      return false
    }
  }

  /** Reads every page. Of a full walk that was `resumed`, only what came before it meanwhile is left to read. */
  async #full(resumed: number | undefined): Promise<void> {
    await this.#begin(resumed === undefined ? 'full' : 'incremental')
    const base = positionsOf(resumed ?? this.#stream.walk)
    await this.#pages({ enough: resumed === undefined ? undefined : KNOWN_PAGES })
    await this.#settleUnmet(base)
  }

  /** Returns whether it read everything, as a full walk does. */
  async #incremental(enough: number): Promise<boolean> {
    await this.#begin('incremental')
    const whole = await this.#pages({ enough })
    if (whole) await this.#settleUnmet(positionsOf(this.#stream.walk))
    else if (enough === KNOWN_PAGES || (await this.#oldestPending()) !== undefined) await this.#window()
    return whole
  }

  /** Asks for the rows that a walk of everything did not meet: those whose position is still below its own. */
  async #settleUnmet(base: number): Promise<void> {
    await this.#settleMissing(await this.#live().where('position', '<', base).execute())
  }

  async #begin(mode: 'full' | 'incremental'): Promise<void> {
    const { walk } = this.#stream
    this.#stream = await this.#commit((db) =>
      advance(this.#context, db, this.#stream, {
        walk: walk + 1,
        walk_rows: 0,
        walk_mode: mode,
        cursor: null,
      }),
    )
  }

  /**
   * Reads pages until the end, or until `enough` of them in a row are known. Afterwards the walk is complete. Returns whether
   * that was the end.
   */
  async #pages({
    cursor,
    enough,
  }: {
    cursor?: string | undefined
    enough: number | undefined
  }): Promise<boolean> {
    let known = 0
    let whole = true
    for await (const page of this.#list({ cursor }, enough === undefined)) {
      const next = page.has_more ? (page.next_cursor ?? null) : null
      const seen = await this.#store(page, next)
      if (enough === undefined || next === null) continue
      known = page.data.length > 0 && seen.known && (await this.#inOrder(seen.lowest)) ? known + 1 : 0
      if (known >= enough) {
        whole = false
        break
      }
    }
    this.#stream = await this.#commit((db) =>
      advance(this.#context, db, this.#stream, { complete_walk: this.#stream.walk, cursor: null }),
    )
    return whole
  }

  async *#list(
    query: { cursor?: string | undefined; from?: string },
    ahead: boolean,
  ): AsyncGenerator<Page<Transaction>> {
    const { reader } = this.#context
    const { account_id, client_id } = this.#account
    yield* reader.pages(reader.api.transactions.list, { account_id, client_id, ...query }, { ahead })
  }

  /** Writes a page and the cursor after it. `lowest` is the lowest position that a known row of it had before. */
  async #store(
    page: Page<Transaction>,
    cursor: string | null,
  ): Promise<{ readonly known: boolean; readonly lowest: number }> {
    const { walk, walk_rows, complete_walk } = this.#stream
    const top = positionsOf(walk + 1) - 1 - walk_rows
    const knownBelow = positionsOf(complete_walk + 1)
    let known = true
    let lowest = Number.POSITIVE_INFINITY
    this.#stream = await this.#commit(async (db) => {
      known = true
      const places = new Map(page.data.map(({ id }, index) => [id, top - index]))
      const { stored, changed } = await this.#write(db, page.data, (id) => places.get(id) ?? top)
      for (const id of places.keys()) {
        const before = stored.get(id)
        if (before === undefined || changed.has(id) || before.position >= knownBelow) known = false
        else lowest = Math.min(lowest, before.position)
      }
      return advance(this.#context, db, this.#stream, { cursor, walk_rows: walk_rows + page.data.length })
    })
    return { known, lowest }
  }

  /**
   * Writes transactions as they are listed. A row gets the position that `place` gives, an unchanged one only when that is not
   * undefined. Returns what was stored before, and the ids of what is new or changed.
   */
  async #write(
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
      .where('id', 'in', [...rows.keys()])
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
        position: position ?? before?.position ?? positionsOf(this.#stream.walk),
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

  /**
   * Whether the walk has met every stored row above this position: else rows were recorded anew, and a new one may stand below
   * them. The few that it did not meet are asked for by id; one that is there stands further down. Those that a complete
   * listing lacked are in no list.
   */
  async #inOrder(lowest: number): Promise<boolean> {
    const base = positionsOf(this.#stream.walk)
    const unmet = await this.#live()
      .where('position', '>', lowest)
      .where('position', '<', base)
      .where('missing_since', 'is', null)
      .limit(MAX_ASKED + 1)
      .execute()
    if (unmet.length > MAX_ASKED || unmet.some(({ id }) => this.#elsewhere.has(id))) return false
    const { gone, there } = await this.#prove(unmet)
    for (const { row } of there) this.#elsewhere.add(row.id)
    // An answer of another account is no proof here: a bank may give an id to a row of each.
    const dropped = gone.filter(({ because }) => because === 'not_found')
    if (dropped.length < unmet.length) {
      for (const { row } of gone) this.#elsewhere.add(row.id)
    }
    await this.#mark({ gone: dropped, there: [] })
    return dropped.length === unmet.length
  }

  /** Lists everything from 14 days ago, or from the oldest pending date, and asks for what is missing there. */
  async #window(): Promise<void> {
    const oldest = await this.#oldestPending()
    const fortnight = dateOf(this.#context.reader.now() - WINDOW_MS)
    const from = oldest !== undefined && oldest < fortnight ? oldest : fortnight
    // A day more: whether `from` is inclusive is an assumption.
    const asked = dateOf(Date.parse(from) - dayMs)
    const met = new Set<string>()
    for await (const page of this.#list({ from: asked }, false)) {
      this.#stream = await this.#commit(async (db) => {
        let { walk_rows } = this.#stream
        await this.#write(db, page.data, (_id, before) =>
          before === undefined ? positionsOf(this.#stream.walk + 1) - 1 - walk_rows++ : undefined,
        )
        return advance(this.#context, db, this.#stream, { walk_rows })
      })
      for (const { id } of page.data) met.add(id)
    }
    const missing = await this.#live().where('date', '>=', from).execute()
    await this.#settleMissing(missing.filter(({ id }) => !met.has(id)))
  }

  /** The date of the oldest charge that is pending; undefined when none is. */
  async #oldestPending(): Promise<string | undefined> {
    const [first] = await this.#live().where('pending', '=', true).orderBy('date').limit(1).execute()
    return first?.date ?? undefined
  }

  /** The rows that are not gone. */
  #live() {
    return this.#context.mirror.db
      .selectFrom('transactions')
      .select(['id', 'missing_since', 'pending', 'date'])
      .where('account_id', '=', this.#account.account_id)
      .where('gone_at', 'is', null)
  }

  /** Whether it is time for the second listing of a row that one lacked, though it reads by its id. */
  async #isMissingForADay(): Promise<boolean> {
    const since = new Date(this.#context.reader.now() - dayMs).toISOString()
    return (await this.#live().where('missing_since', '<=', since).limit(1).execute()).length > 0
  }

  /** Rule 3 and rule 5: asks for rows that a walk past their place did not meet, and marks those that are gone. */
  async #settleMissing(missing: readonly UnmetRow[]): Promise<void> {
    if (missing.length > 0) await this.#mark(await this.#prove(missing))
  }

  /** Asks for rows by their id. @throws AccountGoneError when they are not found because their account is not. */
  async #prove(missing: readonly UnmetRow[]): Promise<Proof<UnmetRow, Transaction>> {
    const { mirror, reader } = this.#context
    const { account_id, client_id } = this.#account
    const { live } = await mirror.db
      .selectFrom('transactions')
      .select((is) => is.fn.countAll<number>().as('live'))
      .where('account_id', '=', account_id)
      .where('gone_at', 'is', null)
      .executeTakeFirstOrThrow()
    const proof = await proveGone(this.#context, missing, {
      live: Number(live),
      what: `transactions of ${account_id}`,
      ask: (row) => this.#ask(row),
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

  async #mark({ gone, there }: Proof<UnmetRow, Transaction>): Promise<void> {
    if (gone.length === 0 && there.length === 0) return
    const { counts } = this.#context
    const now = timestamp(this.#context)
    this.#stream = await this.#commit(async (db) => {
      await this.#write(
        db,
        there.map(({ item }) => item),
        () => undefined,
      )
      for (const { row } of there) await this.#change(db, row.id, { missing_since: row.missing_since ?? now })
      for (const { row, because } of gone) {
        const reason = because === 'not_found' ? (row.pending ? 'dropped' : 'retracted') : because
        await this.#change(db, row.id, {
          gone_at: now,
          gone_reason: reason,
          missing_since: null,
          changed_at: now,
        })
        counts.of('transactions').gone += 1
      }
      return advance(this.#context, db, this.#stream, {})
    })
  }

  async #change(db: MirrorTransaction, id: string, changes: NewRow<'transactions'>): Promise<void> {
    await db
      .updateTable('transactions')
      .set(changes)
      .where('account_id', '=', this.#account.account_id)
      .where('id', '=', id)
      .execute()
  }

  async #ask({ id }: UnmetRow): Promise<Answer<Transaction>> {
    const { reader } = this.#context
    const { account_id, client_id } = this.#account
    const item = await reader.byId((options) =>
      reader.api.transactions.get({ transaction_id: id, client_id }, options),
    )
    if (item === undefined) return { is: 'not_found' }
    if (typeof item.account_id === 'string' && item.account_id !== account_id) return { is: 'moved' }
    // The listing is what says the account; a single read may leave it out.
    return { is: 'there', item: { ...item, account_id } }
  }

  async #complete(whole: boolean): Promise<void> {
    const { updated_at, last_refreshed_at, read_at, oldest_transaction_date } = this.#account
    await this.#commit(async (db) => {
      await matchReissues(this.#context, db, this.#account.account_id)
      await this.#end(db, {
        ...(whole ? { full_at: timestamp(this.#context) } : {}),
        account_updated_at: updated_at,
        account_refreshed_at: last_refreshed_at,
        account_read_at: read_at,
        oldest_transaction_date,
      })
    })
  }

  #end(db: MirrorTransaction, changes: NewRow<'streams'>): Promise<Stream> {
    return advance(this.#context, db, this.#stream, { ...completed(this.#context), ...changes })
  }

  #commit<T>(change: (db: MirrorTransaction) => Promise<T>): Promise<T> {
    return this.#context.mirror.transaction(change)
  }
}

interface UnmetRow extends MissingRow {
  readonly pending: boolean | number
}

/** The lowest position of a walk. */
function positionsOf(walk: number): number {
  return walk * WALK_SPAN
}

function dateOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
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
