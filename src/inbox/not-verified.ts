/**
 * Keeps few and small of the deliveries that did not verify, which anybody can send: a flood of them fills no disk and
 * pushes out only its like.
 */
import type { DatabaseConnection } from './connection.ts'
import type { HeaderPair, NewDelivery } from './delivery-rows.ts'

/** With the limits on their parts about 16 MiB. */
export const MAX_NOT_VERIFIED = 1000
export const MAX_BODY_BYTES = 8 * 1024
const MAX_HEADERS_CHARACTERS = 6 * 1024
const MAX_PATH_CHARACTERS = 1024
/** Of a name that a sender may choose, and of the sentence that explains the refusal. */
const MAX_NAME_CHARACTERS = 200
export const MAX_DETAIL_CHARACTERS = 1000
/** Looking for the oldest costs more than storing one. */
export const TRIM_EVERY = 20

export function createNotVerified(connection: DatabaseConnection): { trim(): void } {
  const deleteOldest = connection.statement(`
    DELETE FROM deliveries WHERE verified = 0 AND id <= (
      SELECT id FROM deliveries WHERE verified = 0 ORDER BY id DESC LIMIT 1 OFFSET ${MAX_NOT_VERIFIED - TRIM_EVERY})`)
  let stored = 0
  return {
    /** To be called after each is stored: leaves at most `MAX_NOT_VERIFIED`. */
    trim() {
      if (stored++ % TRIM_EVERY === 0) deleteOldest().run()
    },
  }
}

/** The delivery with the beginning of what may be large. */
export function cutToExplain(delivery: NewDelivery): NewDelivery {
  const name = (text: string | undefined) => text?.slice(0, MAX_NAME_CHARACTERS)
  return {
    ...delivery,
    path: delivery.path.slice(0, MAX_PATH_CHARACTERS),
    headers: fitting(delivery.headers),
    body: delivery.body.subarray(0, MAX_BODY_BYTES),
    eventId: name(delivery.eventId),
    type: name(delivery.type),
    detail: delivery.detail?.slice(0, MAX_DETAIL_CHARACTERS),
  }
}

function fitting(headers: readonly HeaderPair[]): HeaderPair[] {
  let left = MAX_HEADERS_CHARACTERS
  return headers.filter(([name, value]) => {
    left -= name.length + value.length
    return left >= 0
  })
}
