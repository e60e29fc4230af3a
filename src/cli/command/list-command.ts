/** The base class of commands that show a list: one page, or with `--all` every page, streamed where the format allows it. */
import type { Command, Interfaces } from '@oclif/core'
import { pages } from '../../api/pages.ts'
import type { Page } from '../../contract/endpoint.ts'
import type { Field } from '../../output/fields.ts'
import type { View } from '../../output/view.ts'
import { ApiCommand } from './api-command.ts'
import type { Columns, FlagsOf } from './base-command.ts'
import { listFlags, outputFlags, serviceFlags } from './flags.ts'
import { RowsInMemory } from './rows-in-memory.ts'
import { SeenIds } from './seen-ids.ts'

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
    if (all) return this.#everything(source, limit)
    const page = await source.page({ limit, cursor })
    if (page.data.length === 0) this.note(source.none)
    return page
  }

  protected override view(page: Page<Item>, out: View): string {
    return out.table(page.data, this.fields, this.known)
  }

  protected override async render(page: Page<Item> | undefined): Promise<void> {
    await super.render(page)
    if (page?.has_more && this.format === undefined && this.terminal.stderr.isTTY) {
      this.note(`There is more: --all, or --cursor ${page.next_cursor ?? ''}`)
    }
  }

  protected override async columns(): Promise<Columns> {
    return { fields: this.fields as readonly Field<never>[], known: this.known }
  }

  /** A row that changes meanwhile can come again on a later page; each id is shown once. */
  async #everything(source: ListSource<Item>, limit: number | undefined): Promise<Page<Item> | undefined> {
    const first: Paging = { limit: limit ?? 500 }
    const batches = oneAhead(newRows(pages<Paging, Page<Item>>(source.page, first)))
    const { format } = this
    if (format === 'ndjson' || format === 'csv') {
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
      return undefined
    }
    const all = new RowsInMemory<Item>(
      this.preference('output.max_rows'),
      'Print rows as they come: -o ndjson or -o csv',
    )
    for await (const rows of batches) all.add(rows)
    const data = all.rows
    if (data.length === 0) this.note(source.none)
    return { data, next_cursor: null, has_more: false }
  }
}

/** The rows of each page that were not on an earlier page. */
async function* newRows<Item>(read: AsyncIterable<Page<Item>>): AsyncGenerator<readonly Item[]> {
  const seen = new SeenIds()
  for await (const { data } of read) {
    yield data.filter((row) => {
      const id = idOf(row)
      return id === undefined || seen.add(id)
    })
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
