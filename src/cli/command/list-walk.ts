/** Reads the rows of a list up to a number, and knows how it goes on after them. */
import { pages } from '../../api/pages.ts'
import { pageSize } from '../../contract/service.ts'
import type { Page } from '../../contract/values.ts'
import { SeenIds } from '../../workflows/seen-ids.ts'

/** The page to read. */
export interface Paging {
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** How a list goes on after the rows that were read: a cursor only where it resumes exactly after the last one. */
export type Rest = Omit<Page<unknown>, 'data'>

export interface RowWalk<Item> {
  /** Known once the batches were read. */
  readonly rest: Rest
  /** Why `rest` has no cursor although there is more. */
  readonly noCursor: string | undefined
  /** What follows was not read, and may have no row to show. */
  readonly maybe: boolean
  batches(): AsyncGenerator<readonly Item[]>
}

const atEnd: Rest = { next_cursor: null, has_more: false }
const cut: Rest = { next_cursor: null, has_more: true }

/** Reads the pages of one list. Page sizes are chosen so that the last page ends with the last row. */
export class PageWalk<Item> implements RowWalk<Item> {
  readonly #page: (paging: Paging) => Promise<Page<Item>>
  readonly #cursor: string | undefined
  readonly #accept: ((item: Item) => boolean) | undefined
  #left: number
  rest: Rest = atEnd
  noCursor: string | undefined
  maybe = false

  constructor(
    page: (paging: Paging) => Promise<Page<Item>>,
    {
      cursor,
      limit = Number.POSITIVE_INFINITY,
      accept,
    }: {
      readonly cursor?: string | undefined
      readonly limit?: number
      /** Leaves out rows, for filters that the service does not have. */
      readonly accept?: ((item: Item) => boolean) | undefined
    } = {},
  ) {
    this.#page = page
    this.#cursor = cursor
    this.#left = limit
    this.#accept = accept
  }

  /** The rows of each page. A row that changes meanwhile can come again on a later page; each id is returned once. */
  async *batches(): AsyncGenerator<readonly Item[]> {
    const seen = new SeenIds(Math.floor(Math.random() * 2 ** 32))
    const accept = this.#accept ?? (() => true)
    let from = this.#cursor
    const read = (paging: Paging) => {
      from = paging.cursor
      const size = this.#accept === undefined ? Math.min(this.#left, pageSize.max) : pageSize.max
      return this.#page({ ...paging, limit: size })
    }
    for await (const { data, has_more, next_cursor } of pages(read, { cursor: from })) {
      const rows = data.filter((row) => {
        const id = idOf(row)
        return (id === undefined || seen.add(id)) && accept(row)
      })
      const left = this.#left
      this.#left = Math.max(0, left - rows.length)
      if (rows.length > left) {
        this.rest = cut
        this.maybe = false
        this.noCursor =
          this.#accept === undefined
            ? `the service sent a larger page than was asked for, and ${rows.length - left} of its rows are left out${from === undefined ? '' : `; it begins at --cursor ${from}`}`
            : 'the last row is not the last of its page'
        yield rows.slice(0, left)
        return
      }
      this.maybe = this.#accept !== undefined
      this.rest = { next_cursor: has_more ? (next_cursor ?? null) : null, has_more }
      yield rows
      if (this.#left === 0) return
    }
  }
}

/** Reads so many rows of a list that has no cursor, because it crosses lists of the service. */
export class BoundedWalk<Item> implements RowWalk<Item> {
  readonly #source: AsyncGenerator<readonly Item[]>
  #left: number
  rest: Rest = atEnd
  maybe = false
  readonly noCursor = 'a list across Clients has none'

  constructor(source: AsyncGenerator<readonly Item[]>, limit: number) {
    this.#source = source
    this.#left = limit
  }

  async *batches(): AsyncGenerator<readonly Item[]> {
    for await (const rows of this.#source) {
      if (this.#left === 0 || rows.length > this.#left) this.rest = cut
      this.maybe = rows.length === 0
      const some = rows.slice(0, this.#left)
      this.#left -= some.length
      yield some
      if (this.rest.has_more) return
    }
  }
}

/** Reads the next batch while the current one is written. */
export async function* oneAhead<T>(source: AsyncGenerator<T>): AsyncGenerator<T> {
  let next = source.next()
  for (;;) {
    const { done, value } = await next
    if (done) return
    next = source.next()
    // Its rejection is thrown when it is awaited above; until then it must not count as unhandled.
    next.catch(() => {})
    yield value
  }
}

function idOf(row: unknown): string | undefined {
  const id = typeof row === 'object' && row !== null && 'id' in row ? row.id : undefined
  return typeof id === 'string' ? id : undefined
}
