/** The base class of commands that show a list: one page, or several, streamed where the format allows it. */
import type { Command, Interfaces } from '@oclif/core'
import { pageSize } from '../../contract/service.ts'
import type { Page } from '../../contract/values.ts'
import { isStreamed, type StreamedFormat } from '../../output/document.ts'
import type { Field } from '../../output/fields.ts'
import type { View } from '../../output/view.ts'
import { ApiCommand } from './api-command.ts'
import type { Columns, FlagsOf } from './base-command.ts'
import { listFlags, outputFlags, serviceFlags } from './flags.ts'
import { BoundedWalk, oneAhead, PageWalk, type Paging, type RowWalk } from './list-walk.ts'
import { RowsInMemory } from './rows-in-memory.ts'

/** One list of the service. */
export interface ListSource<Item> {
  /** One page. */
  readonly page: (paging: Paging) => Promise<Page<Item>>
  /** Leaves out rows, for filters that the service does not have. */
  readonly accept?: ((item: Item) => boolean) | undefined
  /** The note on stderr for an empty list. */
  readonly none: string
}

/** Rows of several lists of the service, one after the other. */
export interface RowSource<Item> {
  readonly rows: () => AsyncGenerator<readonly Item[]>
  readonly none: string
}

type ListFlags = Interfaces.InferredFlags<typeof listFlags>

export abstract class ListCommand<T extends typeof Command, Item> extends ApiCommand<
  T,
  Page<Item> | undefined
> {
  static override baseFlags: Interfaces.FlagInput = { ...listFlags, ...serviceFlags, ...outputFlags }

  declare protected flags: FlagsOf<T, typeof serviceFlags & typeof listFlags>

  protected abstract source(): ListSource<Item> | RowSource<Item>
  protected abstract readonly fields: readonly Field<Item>[]
  /** The keys of the resource in the contract: `--columns` accepts them although no row may have them. */
  protected abstract readonly known: readonly string[]

  #walk: RowWalk<Item> | undefined

  protected override async execute(): Promise<Page<Item> | undefined> {
    const source = this.source()
    const { limit, cursor, all }: ListFlags = this.flags
    const { format } = this
    const streamed = isStreamed(format) ? format : undefined
    const rows = limit ?? (all || streamed ? Number.POSITIVE_INFINITY : pageSize.default)
    if ('page' in source && source.accept === undefined && streamed === undefined && rows <= pageSize.max) {
      const page = await source.page({ limit, cursor })
      if (page.data.length === 0) this.note(source.none)
      return page
    }
    const walk =
      'page' in source
        ? new PageWalk(source.page, { cursor, limit: rows, accept: source.accept })
        : new BoundedWalk(source.rows(), rows)
    this.#walk = walk
    const batches = walk instanceof PageWalk ? oneAhead(walk.batches()) : walk.batches()
    if (streamed !== undefined) {
      await this.#stream(batches, streamed, walk, source.none)
      return undefined
    }
    const found = new RowsInMemory<Item>(
      this.preference('output.max_rows'),
      'Print rows as they come: -o ndjson or -o csv',
    )
    for await (const batch of batches) found.add(batch)
    if (found.rows.length === 0) this.note(source.none)
    return { data: found.rows, ...walk.rest }
  }

  protected override view(page: Page<Item>, out: View): string {
    return out.table(page.data, this.fields, this.known)
  }

  protected override async columns(): Promise<Columns> {
    return { fields: this.fields as readonly Field<never>[], known: this.known }
  }

  protected override restOf({ next_cursor }: Readonly<Record<string, unknown>>): string {
    const { limit, all }: ListFlags = this.flags
    const { noCursor, maybe = false } = this.#walk ?? {}
    const whole = limit !== undefined && (all || isStreamed(this.format)) ? 'a larger --limit' : '--all'
    const on =
      typeof next_cursor === 'string'
        ? `, or --cursor ${next_cursor}`
        : noCursor === undefined
          ? ''
          : ` (no cursor: ${noCursor})`
    return `There ${maybe ? 'may be' : 'is'} more: ${whole}${on}`
  }

  async #stream(
    batches: AsyncGenerator<readonly Item[]>,
    format: StreamedFormat,
    walk: RowWalk<Item>,
    none: string,
  ): Promise<void> {
    const [{ streamRows }, { setFlagsFromString }] = await Promise.all([
      import('../../output/stream.ts'),
      import('node:v8'),
    ])
    // Reading many pages leaves only garbage, which V8 would otherwise collect late: at twice the memory.
    setFlagsFromString('--optimize-for-size')
    // Pages that wait for their turn survive a collection, after which it would make room for many more.
    setFlagsFromString('--semi-space-growth-factor=1')
    const columns = this.chosenColumns
    const result = await streamRows(batches, this.terminal.stdout, {
      format,
      signal: this.signal,
      ...(columns === undefined ? {} : { columns }),
      ...(await this.columns()),
    })
    if (result.rows === 0 && !result.closed) this.note(none)
    if (result.dropped.length > 0) {
      this.warning(`columns that first appeared later are missing from the CSV: ${result.dropped.join(', ')}`)
    }
    if (!result.closed) this.tellRest(walk.rest)
  }
}
