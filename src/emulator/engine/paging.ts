/** Pages of a list: the pagination envelope over a keyset query, with opaque cursors bound to that query. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { pageSize } from '../../contract/service.ts'
import type { Slice } from '../store/database.ts'
import type { Engine } from './engine.ts'
import { ServiceError } from './errors.ts'

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

/** The query, without `limit` and `cursor`: operation, tenant, ids, filters. */
export type QueryScope = readonly (string | number | undefined)[]

const tagLength = 12

/** A cursor that continues after the row with this `seq`. */
export function mintCursor(secret: string, scope: QueryScope, position: number): string {
  const place = Buffer.alloc(8)
  place.writeBigUInt64BE(BigInt(position))
  return Buffer.concat([tag(secret, scope, place), place]).toString('base64url')
}

/** The `seq` to continue after. Throws `invalid_request` for any other query's cursor and for what is none. */
export function openCursor(secret: string, scope: QueryScope, cursor: string): number {
  const bytes = Buffer.from(cursor, 'base64url')
  const place = bytes.subarray(tagLength)
  const wellFormed = bytes.length === tagLength + 8 && bytes.toString('base64url') === cursor
  if (!wellFormed || !timingSafeEqual(bytes.subarray(0, tagLength), tag(secret, scope, place))) {
    throw foreignCursor()
  }
  return Number(place.readBigUInt64BE())
}

/** The refusal of a cursor that was not made for the query. */
export function foreignCursor(): ServiceError {
  return new ServiceError('invalid_request', 'This cursor does not belong to this query.', {
    param: 'cursor',
  })
}

function tag(secret: string, scope: QueryScope, place: Buffer): Buffer {
  const query = JSON.stringify(scope.map((part) => part ?? null))
  return createHmac('sha256', secret).update(query).update(place).digest().subarray(0, tagLength)
}
