/** Collects the rows of a long list for formats that need all of them at once: up to a number, as a list may have no end. */
import { UsageError } from '../errors/errors.ts'

/** Rows at most; the setting `output.max_rows` changes it. */
const MAX_ROWS = 100_000
/** Of their text, as JSON has it, for so many rows; more of both for a larger setting. */
const MAX_MEBIBYTES = 256

export class RowsInMemory<Row> {
  readonly rows: Row[] = []
  readonly #maxRows: number
  readonly #maxMebibytes: number
  readonly #hint: string
  #count = 0
  #characters = 0

  /** `setting` is the value of `output.max_rows`; `hint` says how to do without the memory. */
  constructor(setting: string | boolean | undefined, hint: string) {
    this.#maxRows = Number(setting ?? MAX_ROWS)
    this.#maxMebibytes = Math.ceil(MAX_MEBIBYTES * Math.max(1, this.#maxRows / MAX_ROWS))
    this.#hint = hint
  }

  /** Adds a page. @throws UsageError when there are too many or too large rows: a part of a list is no answer. */
  add(page: readonly Row[]): void {
    // Not `push(...page)`: the arguments of a call are limited.
    for (const row of page) this.rows.push(row)
    // An endless list may be one of empty pages.
    this.#count += Math.max(1, page.length)
    if (this.#count > this.#maxRows) throw this.#tooMany(`${this.#maxRows} rows`)
    this.#characters += charactersOf(page)
    if (this.#characters > this.#maxMebibytes * 1024 * 1024)
      throw this.#tooMany(`${this.#maxMebibytes} MiB of rows`)
  }

  #tooMany(limit: string): UsageError {
    return new UsageError(`The list has more than ${limit}, which have to be in memory at once`, {
      code: 'too_many_rows',
      hint: `${this.#hint}\nIf the memory is there: bankapi config set output.max_rows ${Math.max(this.#maxRows, MAX_ROWS) * 10}`,
    })
  }
}

/** About as many as its JSON has. */
function charactersOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 2
  if (typeof value !== 'object' || value === null) return 4
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + charactersOf(item) + 1, 2)
  let characters = 2
  for (const [key, inner] of Object.entries(value)) characters += key.length + 4 + charactersOf(inner)
  return characters
}
