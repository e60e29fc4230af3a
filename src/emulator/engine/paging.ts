/** One page of a list: the pagination envelope over a keyset query. */
import { pageSize } from '../../contract/service.ts'
import type { Slice } from '../store/paging.ts'
import { mintCursor, openCursor, type QueryScope } from './cursor.ts'
import type { Engine } from './engine.ts'

export interface PageRequest {
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

export type Paged<Item> = {
  data: Item[]
  next_cursor: string | null
  has_more: boolean
}

/** Reads one row more than the page holds, to know whether there are more. */
export function pageOf<Row extends { readonly seq: number }, Item>(
  { cursorSecret }: Pick<Engine, 'cursorSecret'>,
  scope: QueryScope,
  { limit = pageSize.default, cursor }: PageRequest,
  read: (slice: Slice) => Row[],
  onWire: (row: Row) => Item,
): Paged<Item> {
  const size = Math.min(limit, pageSize.max)
  const after = cursor === undefined ? undefined : openCursor(cursorSecret, scope, cursor)
  const rows = read({ after, limit: size + 1 })
  const has_more = rows.length > size
  if (has_more) rows.pop()
  const last = rows.at(-1)
  const next_cursor = has_more && last ? mintCursor(cursorSecret, scope, last.seq) : null
  return { data: rows.map(onWire), next_cursor, has_more }
}
