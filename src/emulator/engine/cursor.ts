/** Page cursors: opaque, made here only, and good only for the exact query they were minted for. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { Problem } from './problem.ts'

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
    throw new Problem('invalid_request', 'This cursor does not belong to this query.', { param: 'cursor' })
  }
  return Number(place.readBigUInt64BE())
}

function tag(secret: string, scope: QueryScope, place: Buffer): Buffer {
  const query = JSON.stringify(scope.map((part) => part ?? null))
  return createHmac('sha256', secret).update(query).update(place).digest().subarray(0, tagLength)
}
