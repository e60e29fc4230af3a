/** Reads rows of the service in pages of 25, with a cursor that can stand between two rows of a page of the service. */
import * as z from 'zod'
import { pageSize } from '../contract/service.ts'
import type { Page } from '../contract/values.ts'
import { BankapiError } from '../errors.ts'
import type { CutRows } from './tool.ts'

/** Rows of one answer. */
export const PAGE_ROWS = 25

/** The field of a tool that goes on where an earlier answer ended. */
export const Cursor = z.string().max(2000).optional().describe('next_cursor of the answer before')

/** The same where it is a count of the rows before. */
export const NumberCursor = z
  .string()
  .regex(/^\d{1,6}$/)
  .optional()
  .describe('next_cursor of the answer before')

/** The field of an answer: absent where nothing is left. */
export const NextCursor = z.string().optional()

/** A place in a list of the service: the page that begins at this cursor, and how many of its rows are done. */
interface Position {
  readonly cursor: string | undefined
  readonly skip: number
}

export class CursorError extends BankapiError {
  override readonly name = 'CursorError'

  constructor() {
    super('The cursor is none of an earlier answer', {
      code: 'invalid_cursor',
      exit: 'usage',
      hint: 'Leave it out to begin at the start',
    })
  }
}

function textOf({ cursor, skip }: Position): string {
  return Buffer.from(JSON.stringify([cursor ?? null, skip])).toString('base64url')
}

const Parts = z.tuple([z.string().nullable(), z.int().min(0).max(pageSize.max)])

/** @throws CursorError */
function positionOf(text: string | undefined): Position {
  if (text === undefined) return { cursor: undefined, skip: 0 }
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(text, 'base64url').toString())
  } catch {
    throw new CursorError()
  }
  const parts = Parts.safeParse(value)
  if (!parts.success) throw new CursorError()
  return { cursor: parts.data[0] ?? undefined, skip: parts.data[1] }
}

/** One page of a list of the service. */
export interface Paging {
  readonly cursor?: string | undefined
  readonly limit: number
}

export interface ReadOptions<Row> {
  /** One page of the service. */
  readonly list: (page: Paging) => Promise<Page<Row>>
  /** Where an earlier answer ended. */
  readonly cursor: string | undefined
  /** Rows that count; without it all do. */
  readonly accept?: ((row: Row) => boolean) | undefined
  /** How many pages of the service are read at most. */
  readonly maxPages?: number
}

export interface ReadRows<Row> {
  readonly rows: readonly Row[]
  /** Absent where the list has ended. */
  readonly next_cursor: string | undefined
  /** The cursor after one of the rows, for an answer that is cut. */
  readonly cursorAfter: CutRows['cursorAfter']
  /** Rows that were read, those that do not count included. */
  readonly looked_at: number
}

/** Up to 25 rows. @throws CursorError, and what a call throws. */
export async function readRows<Row>({
  list,
  cursor,
  accept,
  maxPages = 20,
}: ReadOptions<Row>): Promise<ReadRows<Row>> {
  const rows: Row[] = []
  const after: Position[] = []
  let at = positionOf(cursor)
  let looked = 0
  const ended = (next: Position | undefined): ReadRows<Row> => ({
    rows,
    next_cursor: next === undefined ? undefined : textOf(next),
    cursorAfter: (count) => textOf(after[count - 1] ?? at),
    looked_at: looked,
  })
  // What is filtered is read in large pages; a continued page has to be as long as it was when its rows were counted.
  const limit = accept === undefined ? PAGE_ROWS : pageSize.max
  for (let pages = 0; pages < maxPages; pages++) {
    const page = await list({ limit, ...(at.cursor === undefined ? {} : { cursor: at.cursor }) })
    for (let index = at.skip; index < page.data.length; index++) {
      const row = page.data[index] as Row
      looked += 1
      if (accept !== undefined && !accept(row)) continue
      rows.push(row)
      after.push({ cursor: at.cursor, skip: index + 1 })
      const isLast = index + 1 === page.data.length && !page.has_more
      if (rows.length === PAGE_ROWS) return ended(isLast ? undefined : after.at(-1))
    }
    if (!page.has_more || page.next_cursor == null) return ended(undefined)
    at = { cursor: page.next_cursor, skip: 0 }
  }
  return ended(at)
}
