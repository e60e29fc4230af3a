/** Stores operations in Postgres. */
import type { Operations } from '../inbox.ts'
import { type OperationRow, readOperation } from '../operations.ts'
import type { Database } from './database.ts'
import { SCHEMA } from './schema.ts'

const OPERATIONS = `${SCHEMA}.operations`

// An operation that ended stays ended: a slow answer of an earlier poll may come last.
const upsert = `
  INSERT INTO ${OPERATIONS} AS known (customer, environment, id, type, subject, status, started_at, estimated_seconds, seen_at,
    completed_at)
  VALUES ($1, $2, $3, $4, $5, coalesce($6::text, 'queued'), coalesce($7::bigint, $9::bigint), $8, $9, $10)
  ON CONFLICT (customer, environment, id) DO UPDATE SET
    type = coalesce(excluded.type, known.type),
    subject = coalesce(excluded.subject, known.subject),
    status = CASE WHEN $6 IS NULL OR ($6 = 'queued' AND known.status <> 'queued') THEN known.status ELSE $6 END,
    started_at = coalesce($7, known.started_at),
    estimated_seconds = coalesce(excluded.estimated_seconds, known.estimated_seconds),
    seen_at = greatest(known.seen_at, excluded.seen_at),
    completed_at = coalesce(excluded.completed_at, known.completed_at)`

export function createOperations(database: Database, customer: string): Operations {
  return {
    async record(operation) {
      const { environment, id, type, subject, status, startedAt, estimatedSeconds, seenAt, completedAt } =
        operation
      const facts = [type, subject, status, startedAt, estimatedSeconds, seenAt, completedAt]
      await database.query(upsert, [customer, environment, id, ...facts])
    },
    async get(environment, id) {
      const [row] = await database.query<OperationRow>(
        `SELECT * FROM ${OPERATIONS} WHERE customer = $1 AND environment = $2 AND id = $3`,
        [customer, environment, id],
      )
      return row && readOperation(numbered(row))
    },
    async erase(environment, subjects) {
      await database.query(
        `DELETE FROM ${OPERATIONS} WHERE customer = $1 AND environment = $2
          AND subject IN (SELECT jsonb_array_elements_text($3::jsonb))`,
        [customer, environment, JSON.stringify([...subjects])],
      )
    },
    async list({ environment, status, limit } = {}) {
      const rows = await database.query<OperationRow>(
        `SELECT * FROM ${OPERATIONS}
         WHERE customer = $1 AND ($2::text IS NULL OR environment = $2) AND ($3::text IS NULL OR status = $3)
         ORDER BY started_at DESC, id DESC LIMIT $4`,
        [customer, environment, status, limit],
      )
      return rows.map((row) => readOperation(numbered(row)))
    },
  }
}

/** As SQLite returns them: the driver returns numbers of 64 bits as texts. */
function numbered(row: OperationRow): OperationRow {
  return {
    ...row,
    started_at: Number(row.started_at),
    seen_at: Number(row.seen_at),
    completed_at: row.completed_at === null ? null : Number(row.completed_at),
  }
}
