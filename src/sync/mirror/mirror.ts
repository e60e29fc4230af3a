/** The mirror as the walk sees it: typed SQL, rows written from JSON, and transactions, on SQLite or Postgres. */
import type { Expression, Kysely, Transaction } from 'kysely'
import type { MirrorTables, Row, TableName } from './tables.ts'

export type MirrorDatabase = Kysely<MirrorTables>
export type MirrorTransaction = Transaction<MirrorTables>

/** A row to write. What is absent is null in a new row and stays as it is in an old one. */
export type NewRow<T extends TableName> = Partial<Row<T>>

/** What keeps other runs out of a mirror. */
export interface Claim {
  /** Aborted with a MirrorError when the claim is lost before it is released: others may write from then on. */
  readonly lost: AbortSignal
  release(): void
}

export interface QueryOptions {
  /** Sees each batch before it is kept: what it throws ends the query. */
  readonly onRows?: ((rows: readonly Record<string, unknown>[]) => void) | undefined
  /** Reads these rows alone, and of each text so many characters; the query ends with the last of them. */
  readonly window?: QueryWindow | undefined
  /** Personal columns are empty, in whatever way the query asks for them. Postgres refuses it. */
  readonly withoutPersonal?: boolean | undefined
}

export interface QueryWindow {
  readonly skip: number
  readonly rows: number
  readonly characters: number
}

export interface Mirror {
  readonly kind: 'sqlite' | 'postgres'
  /** For messages: a path, or an address without secrets. */
  readonly shown: string
  readonly db: MirrorDatabase
  /**
   * Runs a change as one transaction. On SQLite they run one after another, in this process and over all others.
   * Rejects with MirrorError where the database refuses.
   */
  transaction<T>(change: (db: MirrorTransaction) => Promise<T>): Promise<T>
  /** Inserts rows, and updates those whose key is there already with the columns that the first row has. */
  put<T extends TableName>(db: MirrorDatabase, table: T, rows: readonly NewRow<T>[]): Promise<void>
  /** The right side of `in` for many values: Postgres reads, binds and plans a parameter for each much longer than one for all. */
  oneOf(values: readonly string[]): Expression<string>
  /** Keeps other runs out until it is released. Rejects with MirrorError `busy` when one is under way. */
  claim(): Promise<Claim>
  /**
   * Runs a query of the user, who may read and nothing else. Rejects with what `onRows` throws, and with MirrorError
   * `query_failed`.
   */
  query(sql: string, signal: AbortSignal, options?: QueryOptions): Promise<readonly Record<string, unknown>[]>
  /** Closes it after a run that failed, and removes a file that this process made and stored no Client in. It never rejects. */
  discard(): Promise<void>
  close(): Promise<void>
}
