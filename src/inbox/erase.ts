/** Erases the bodies of deliveries that name certain ids, and what targets answered to them. The deliveries themselves stay. */
import type { DatabaseConnection } from './connection.ts'
import { inboxError } from './inbox-error.ts'

/** Read and searched at once; each is at most as large as a body. */
export const ERASE_CHUNK = 200

/** Returns a function that erases the bodies of an environment which name one of the ids, and returns how many. */
export function createEraser(
  connection: DatabaseConnection,
): (environment: string, ids: ReadonlySet<string>) => number {
  const chunk = connection.statement(
    `SELECT id, body FROM deliveries WHERE environment = ? AND id > ? AND length(body) > 0 ORDER BY id LIMIT ${ERASE_CHUNK}`,
  )
  const eraseBody = connection.statement(
    "UPDATE deliveries SET body = x'', body_bytes = coalesce(body_bytes, length(body)), detail = NULL WHERE id = ?",
  )
  const eraseAnswers = connection.statement("UPDATE forwards SET body = x'' WHERE delivery_id = ?")
  return (environment, ids) => {
    let erased = 0
    let last = 0
    for (;;) {
      const rows = chunk().all(environment, last) as unknown as { id: number; body: Uint8Array }[]
      const found = rows.filter(({ body }) => namesAny(body, ids))
      connection.transaction(() => {
        for (const { id } of found) {
          eraseBody().run(id)
          eraseAnswers().run(id)
        }
      })
      erased += found.length
      last = rows.at(-1)?.id ?? last
      if (rows.length < ERASE_CHUNK) break
    }
    try {
      // Free pages would still hold what was erased.
      connection.database.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)')
    } catch (error) {
      throw inboxError(error, connection.path)
    }
    return erased
  }
}

/** Whether a body has one of the ids, wherever it is: a body need not be valid JSON. */
export function namesAny(body: Uint8Array, ids: ReadonlySet<string>): boolean {
  for (const [id] of Buffer.from(body)
    .toString('utf8')
    .matchAll(/(?:cli|con|acc|stmt)_[\w-]+/g)) {
    if (ids.has(id)) return true
  }
  return false
}
