/** SQLite with prepared statements kept, transactions, and the bounds of a page of rows. */
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'

export type Value = SQLInputValue | boolean | undefined

export class Database {
  readonly #sqlite: DatabaseSync
  readonly #prepared = new Map<string, StatementSync>()
  #depth = 0

  /** Opens the file, or a database in memory for `:memory:`. Throws when another process has the file open. */
  constructor(path: string) {
    this.#sqlite = new DatabaseSync(path, { enableForeignKeyConstraints: true })
    // One emulator per data folder: the lock goes with the process, however it ends.
    this.#sqlite.exec('PRAGMA locking_mode = EXCLUSIVE')
    this.#sqlite.exec('PRAGMA journal_mode = WAL')
    this.#sqlite.exec('PRAGMA synchronous = NORMAL')
    this.#sqlite.exec('PRAGMA temp_store = MEMORY')
    this.#sqlite.exec('PRAGMA cache_size = -65536')
    this.#sqlite.exec('BEGIN IMMEDIATE; COMMIT')
  }

  /** Every row of the result. The caller names the row's shape: the columns of its own query. */
  all<Row>(sql: string, ...values: Value[]): Row[] {
    return this.#statement(sql).all(...values.map(stored)) as unknown as Row[]
  }

  /** The first row, or undefined. */
  get<Row>(sql: string, ...values: Value[]): Row | undefined {
    return this.#statement(sql).get(...values.map(stored)) as unknown as Row | undefined
  }

  /** Runs a change and says how many rows it touched. */
  run(sql: string, ...values: Value[]): number {
    return Number(this.#statement(sql).run(...values.map(stored)).changes)
  }

  /** Inserts an object as a row of `table` and returns its rowid. Its keys are column names, never user input. */
  insert(table: string, row: Readonly<Record<string, Value>>): number {
    const columns = Object.keys(row)
    const marks = columns.map(() => '?').join(', ')
    const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${marks})`
    return Number(this.#statement(sql).run(...Object.values(row).map(stored)).lastInsertRowid)
  }

  /** Changes the named columns of one row, found by its `seq`. */
  update(table: string, seq: number, row: Readonly<Record<string, Value>>): void {
    const columns = Object.keys(row)
    if (columns.length === 0) return
    const sql = `UPDATE ${table} SET ${columns.map((column) => `${column} = ?`).join(', ')} WHERE seq = ?`
    this.#statement(sql).run(...Object.values(row).map(stored), seq)
  }

  /** How many rows were changed since it was opened: it tells whether anything has. */
  changes(): number {
    return this.get<{ n: number }>('SELECT total_changes() AS n')?.n ?? 0
  }

  /** Several statements without values: migrations. */
  script(sql: string): void {
    this.#sqlite.exec(sql)
  }

  /** All of `work` or nothing of it. Inside another transaction it belongs to that one. `work` must be synchronous. */
  transaction<T>(work: () => T): T {
    if (this.#depth > 0) return work()
    this.#sqlite.exec('BEGIN IMMEDIATE')
    this.#depth += 1
    try {
      const result = work()
      this.#sqlite.exec('COMMIT')
      return result
    } catch (error) {
      // On a full disk SQLite may have rolled back already.
      if (this.#sqlite.isTransaction) this.#sqlite.exec('ROLLBACK')
      throw error
    } finally {
      this.#depth -= 1
    }
  }

  /**
   * Runs `work`, which adds very many rows in several transactions, with rows written once, not first to the log and
   * then to the file. Each transaction is still all or nothing.
   */
  bulk(work: () => void): void {
    this.#sqlite.exec('PRAGMA journal_mode = TRUNCATE')
    try {
      work()
    } finally {
      this.#sqlite.exec('PRAGMA journal_mode = WAL')
    }
  }

  close(): void {
    this.#prepared.clear()
    this.#sqlite.close()
  }

  #statement(sql: string): StatementSync {
    const known = this.#prepared.get(sql)
    if (known) return known
    const statement = this.#sqlite.prepare(sql)
    this.#prepared.set(sql, statement)
    return statement
  }
}

/** SQLITE_FULL, and SQLITE_IOERR_WRITE: a quota or a limit on the size of files. */
const fullCodes: readonly unknown[] = [13, 778]

/** True for the error of a change for which there was no space. Nothing was changed. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && fullCodes.includes(error.errcode)
}

function stored(value: Value): SQLInputValue {
  if (value === undefined) return null
  if (typeof value === 'boolean') return value ? 1 : 0
  return value
}

/** The page of rows that a list query reads. */
export interface Slice {
  /** `seq` of the last row of the page before; undefined for the first page. */
  readonly after: number | undefined
  readonly limit: number
}

/** Bounds below and above every `seq`, where a first page starts. */
export const beforeFirst = 0
export const afterLast = Number.MAX_SAFE_INTEGER
