/** The base class of commands that show a list: one page, or with `--all` or a large `--limit` several, streamed where the format allows it. */
import type { Command, Interfaces } from '@oclif/core'
import { pages } from '../../api/pages.ts'
import type { Page } from '../../contract/endpoint.ts'
import { pageSize } from '../../contract/service.ts'
import { isStreamed } from '../../output/document.ts'
import type { Field } from '../../output/fields.ts'
import type { View } from '../../output/view.ts'
import { SeenIds } from '../../workflows/seen-ids.ts'
import { ApiCommand } from './api-command.ts'
import type { Columns, FlagsOf } from './base-command.ts'
import { listFlags, outputFlags, serviceFlags } from './flags.ts'
import { RowsInMemory } from './rows-in-memory.ts'

/** The page to read. */
export interface Paging {
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** The call that reads a page, with its input. */
export interface ListSource<Item> {
  /** One page. */
  readonly page: (paging: Paging) => Promise<Page<Item>>
  /** The note on stderr for an empty list. */
  readonly none: string
}

type ListFlags = Interfaces.InferredFlags<typeof listFlags>

export abstract class ListCommand<T extends typeof Command, Item> extends ApiCommand<
  T,
  Page<Item> | undefined
> {
  static override baseFlags: Interfaces.FlagInput = { ...listFlags, ...serviceFlags, ...outputFlags }

  declare protected flags: FlagsOf<T, typeof serviceFlags & typeof listFlags>

  protected abstract source(): ListSource<Item>
  protected abstract readonly fields: readonly Field<Item>[]
  /** The keys of the resource in the contract: `--columns` accepts them although no row may have them. */
  protected abstract readonly known: readonly string[]

  protected override async execute(): Promise<Page<Item> | undefined> {
    const source = this.source()
    const { limit, cursor, all }: ListFlags = this.flags
    if (all || (limit ?? 0) > pageSize.max) return this.#severalPages(source, cursor, limit)
    const page = await source.page({ limit, cursor })
    if (page.data.length === 0) this.note(source.none)
    return page
  }

  protected override view(page: Page<Item>, out: View): string {
    return out.table(page.data, this.fields, this.known)
  }

  protected override async render(page: Page<Item> | undefined): Promise<void> {
    await super.render(page)
    if (page !== undefined && this.format === undefined) this.#tellRest(page)
  }

  protected override async columns(): Promise<Columns> {
    return { fields: this.fields as readonly Field<never>[], known: this.known }
  }

  async #severalPages(
    source: ListSource<Item>,
    cursor: string | undefined,
    limit: number | undefined,
  ): Promise<Page<Item> | undefined> {
    const walk = new Walk(source.page, { cursor, limit: limit ?? Number.POSITIVE_INFINITY })
    const batches = oneAhead(walk.batches())
    const { format } = this
    if (isStreamed(format)) {
      const [{ streamRows }, { setFlagsFromString }] = await Promise.all([
        import('../../output/stream.ts'),
        import('node:v8'),
      ])
      // Reading many pages leaves only garbage, which V8 would otherwise collect late: at twice the memory.
      setFlagsFromString('--optimize-for-size')
      const columns = this.chosenColumns
      const result = await streamRows(batches, this.terminal.stdout, {
        format,
        signal: this.signal,
        ...(columns === undefined ? {} : { columns }),
        ...(await this.columns()),
      })
      if (result.rows === 0) this.note(source.none)
      if (result.dropped.length > 0) {
        this.warning(
          `columns that first appeared later are missing from the CSV: ${result.dropped.join(', ')}`,
        )
      }
      this.#tellCut(walk)
      if (!result.closed) this.#tellRest(walk.rest)
      return undefined
    }
    const all = new RowsInMemory<Item>(
      this.preference('output.max_rows'),
      'Print rows as they come: -o ndjson or -o csv',
    )
    for await (const rows of batches) all.add(rows)
    const data = all.rows
    if (data.length === 0) this.note(source.none)
    this.#tellCut(walk)
    return { data, ...walk.rest }
  }

  #tellCut({ cut }: Walk<Item>): void {
    if (cut === 0) return
    this.warning(
      `the service sent a larger page than was asked for: ${cut} of its rows are left out, and next_cursor begins it again`,
    )
  }

  #tellRest({ has_more, next_cursor }: Rest): void {
    if (!has_more || !this.terminal.stderr.isTTY) return
    const { all }: ListFlags = this.flags
    this.note(`There is more: ${all ? '' : '--all, or '}--cursor ${next_cursor ?? ''}`)
  }
}

type Rest = Omit<Page<unknown>, 'data'>

/** Reads pages up to a number of rows. Page sizes are chosen so that the last page ends with the last row. */
class Walk<Item> {
  readonly #page: ListSource<Item>['page']
  readonly #cursor: string | undefined
  #left: number
  /** Where the list goes on after the rows read so far. */
  rest: Rest = { next_cursor: null, has_more: false }
  /** Rows left out of the last page, because the service sent more than was asked for. */
  cut = 0

  constructor(
    page: ListSource<Item>['page'],
    { cursor, limit }: { readonly cursor: string | undefined; readonly limit: number },
  ) {
    this.#page = page
    this.#cursor = cursor
    this.#left = limit
  }

  /** The rows of each page. A row that changes meanwhile can come again on a later page; each id is returned once. */
  async *batches(): AsyncGenerator<readonly Item[]> {
    const seen = new SeenIds(Math.floor(Math.random() * 2 ** 32))
    let from = this.#cursor
    const read = (paging: Paging) => {
      from = paging.cursor
      return this.#page({ ...paging, limit: Math.min(this.#left, pageSize.max) })
    }
    for await (const { data, has_more, next_cursor } of pages(read, { cursor: from })) {
      const rows = data.filter((row) => {
        const id = idOf(row)
        return id === undefined || seen.add(id)
      })
      this.cut = Math.max(0, rows.length - this.#left)
      // A cut page is read again from its beginning: the cursor after it would skip what was cut.
      this.rest =
        this.cut > 0
          ? { next_cursor: from ?? null, has_more: true }
          : { next_cursor: has_more ? (next_cursor ?? null) : null, has_more }
      this.#left -= rows.length - this.cut
      yield this.cut > 0 ? rows.slice(0, -this.cut) : rows
      if (this.#left === 0) return
    }
  }
}

/** Reads the next page while the current one is written. */
async function* oneAhead<T>(source: AsyncGenerator<T>): AsyncGenerator<T> {
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
