/** Pages of rows in the order of their dates, newest first, with a cursor that names the last row of the answer. */
import * as z from 'zod'
import { CursorError, PAGE_ROWS } from './paging.ts'

/** A calendar date. */
export const Day = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d$/)
  .refine((text) => !Number.isNaN(Date.parse(text)), 'there is no such day')
  .optional()

/** A row's place: its date, and what orders the rows of a date. An empty key is before all of its date. */
export interface Place {
  readonly date: string
  readonly key: string
}

const Parts = z.tuple([z.iso.date(), z.string()])

export function cursorOf({ date, key }: Place): string {
  return Buffer.from(JSON.stringify([date, key])).toString('base64url')
}

/** @throws CursorError */
export function placeOf(cursor: string | undefined): Place | undefined {
  if (cursor === undefined) return undefined
  try {
    const [date, key] = Parts.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()))
    return { date, key }
  } catch {
    throw new CursorError()
  }
}

/** Takes rows in their order; the first 25 after a place are those of the answer. */
export class DatedRows<Row> {
  readonly #after: Place | undefined
  readonly #placeOf: (row: Row) => Place
  readonly #rows: Row[] = []

  constructor(after: Place | undefined, place: (row: Row) => Place) {
    this.#after = after
    this.#placeOf = place
  }

  /** Whether there are more than the answer has. */
  get isFull(): boolean {
    return this.#rows.length > PAGE_ROWS
  }

  get rows(): readonly Row[] {
    return this.#rows.slice(0, PAGE_ROWS)
  }

  add(row: Row): void {
    if (!this.isFull && follows(this.#placeOf(row), this.#after)) this.#rows.push(row)
  }

  /** The cursor after so many rows; 25 when it is full. */
  readonly cursorAfter = (count: number): string => cursorOf(this.#placeOf(this.#rows[count - 1] as Row))
}

function follows({ date, key }: Place, after: Place | undefined): boolean {
  return after === undefined || date < after.date || (date === after.date && key > after.key)
}
