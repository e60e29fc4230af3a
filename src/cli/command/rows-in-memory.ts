/** Collects the rows of a long list for formats that need all of them at once: up to a number, as a list may have no end. */
import { UsageError } from '../errors/errors.ts'

/** Rows at most; the setting `output.max_rows` changes it. */
const MAX_ROWS = 100_000

export class RowsInMemory<Row> {
  readonly rows: Row[] = []
  readonly #maxRows: number
  readonly #hint: string
  #count = 0

  /** `setting` is the value of `output.max_rows`; `hint` says how to do without the memory. */
  constructor(setting: string | boolean | undefined, hint: string) {
    this.#maxRows = Number(setting ?? MAX_ROWS)
    this.#hint = hint
  }

  /** Adds a page. @throws UsageError when there are too many rows: a part of a list is no answer. */
  add(page: readonly Row[]): void {
    // Not `push(...page)`: the arguments of a call are limited.
    for (const row of page) this.rows.push(row)
    // An endless list may be one of empty pages.
    this.#count += Math.max(1, page.length)
    if (this.#count <= this.#maxRows) return
    throw new UsageError(`The list has more than ${this.#maxRows} rows, which have to be in memory at once`, {
      code: 'too_many_rows',
      hint: `${this.#hint}\nIf the memory is there: bankapi config set output.max_rows ${this.#maxRows * 10}`,
    })
  }
}
