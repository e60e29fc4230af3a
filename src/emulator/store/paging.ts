/** What every list query takes: where the page before ended, and how many rows to read. */
export interface Slice {
  /** `seq` of the last row of the page before; undefined for the first page. */
  readonly after: number | undefined
  readonly limit: number
}

/** A bound that every `seq` is above, or below: where a first page starts. */
export const beforeFirst = 0
export const afterLast = Number.MAX_SAFE_INTEGER
