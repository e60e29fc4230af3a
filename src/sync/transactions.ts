/**
 * Walks the transactions of an account, which are listed most recently recorded first, and a changed one can come again.
 *
 * Known is a row stored by a walk that reached its end. A killed walk resumes by its cursor, then walks from page one; a refused
 * cursor starts over. An incremental walk ends after two whole pages that are known, unchanged and in stored order; then it lists
 * everything from 14 days ago, or from the oldest pending date. One that meets the end of the list instead was a full one.
 */
import { ApiResponseError } from '../api/errors.ts'
import type { Transaction } from '../contract/transactions.ts'
import type { Page } from '../contract/values.ts'
import type { Proof } from './gone.ts'
import type { MirrorTransaction, NewRow } from './mirror/mirror.ts'
import { matchReissues } from './reissues.ts'
import { dayMs, type RunContext, timestamp } from './run-context.ts'
import { StoredTransactions } from './stored-transactions.ts'
import { advance, completed, type Stream, takeStream } from './streams.ts'
import { markUnmet, proveUnmet, type UnmetRow } from './unmet-transactions.ts'
import { type WalkedAccount, walkMode } from './walk-mode.ts'

/** Positions of one walk: a later walk's are larger, and within a walk they fall from row to row. */
const WALK_SPAN = 2 ** 32
/** Rows above a page that a walk did not meet are asked for by id up to this many; more mean another order. */
const MAX_ASKED = 20
/** Whole pages that are known, unchanged and in order, after which an incremental walk ends. */
const KNOWN_PAGES = 2
const WINDOW_MS = 14 * dayMs

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
  readonly #stored: StoredTransactions
  #stream!: Stream
  /** Rows that answered when they were asked for by id, though no page had them yet: the order is another one. */
  readonly #elsewhere = new Set<string>()

  constructor(context: RunContext, account: WalkedAccount) {
    this.#context = context
    this.#account = account
    this.#stored = new StoredTransactions(context, account)
  }

  async run(): Promise<boolean> {
    const { account_id: subject, client_id: clientId } = this.#account
    this.#stream = await takeStream(this.#context, { kind: 'transactions', subject, clientId })
    const mode = await walkMode(this.#context, this.#account, this.#stream, this.#stored)
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
    else if (enough === KNOWN_PAGES || (await this.#stored.oldestPending()) !== undefined)
      await this.#window()
    return whole
  }

  /** Asks for the rows that a walk of everything did not meet: those whose position is still below its own. */
  async #settleUnmet(base: number): Promise<void> {
    await this.#settleMissing(await this.#stored.live().where('position', '<', base).execute())
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
      const { stored, changed } = await this.#stored.write(db, page.data, (id) => places.get(id) ?? top)
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
   * Whether the walk has met every stored row above this position: else rows were recorded anew, and a new one may stand below
   * them. The few that it did not meet are asked for by id; one that is there stands further down. Those that a complete
   * listing lacked are in no list.
   */
  async #inOrder(lowest: number): Promise<boolean> {
    const base = positionsOf(this.#stream.walk)
    const unmet = await this.#stored
      .live()
      .where('position', '>', lowest)
      .where('position', '<', base)
      .where('missing_since', 'is', null)
      .limit(MAX_ASKED + 1)
      .execute()
    if (unmet.length > MAX_ASKED || unmet.some(({ id }) => this.#elsewhere.has(id))) return false
    const { gone, there } = await proveUnmet(this.#context, this.#account, unmet)
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
    const oldest = await this.#stored.oldestPending()
    const fortnight = dateOf(this.#context.reader.now() - WINDOW_MS)
    const from = oldest !== undefined && oldest < fortnight ? oldest : fortnight
    // A day more: whether `from` is inclusive is an assumption.
    const asked = dateOf(Date.parse(from) - dayMs)
    const met = new Set<string>()
    for await (const page of this.#list({ from: asked }, false)) {
      this.#stream = await this.#commit(async (db) => {
        let { walk_rows } = this.#stream
        await this.#stored.write(db, page.data, (_id, before) =>
          before === undefined ? positionsOf(this.#stream.walk + 1) - 1 - walk_rows++ : undefined,
        )
        return advance(this.#context, db, this.#stream, { walk_rows })
      })
      for (const { id } of page.data) met.add(id)
    }
    const missing = await this.#stored.live().where('date', '>=', from).execute()
    await this.#settleMissing(missing.filter(({ id }) => !met.has(id)))
  }

  /** Rule 3 and rule 5: asks for rows that a walk past their place did not meet, and marks those that are gone. */
  async #settleMissing(missing: readonly UnmetRow[]): Promise<void> {
    if (missing.length > 0) await this.#mark(await proveUnmet(this.#context, this.#account, missing))
  }

  async #mark(proof: Proof<UnmetRow, Transaction>): Promise<void> {
    if (proof.gone.length === 0 && proof.there.length === 0) return
    this.#stream = await this.#commit(async (db) => {
      await markUnmet(this.#context, this.#stored, db, proof)
      return advance(this.#context, db, this.#stream, {})
    })
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

/** The lowest position of a walk. */
function positionsOf(walk: number): number {
  return walk * WALK_SPAN
}

function dateOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}
