/** Stores operations in SQLite. */
import type { DatabaseConnection } from './connection.ts'
import type { Immediate, KnownOperation, Operations } from './inbox.ts'

export interface OperationRow {
  environment: string
  id: string
  type: string | null
  subject: string | null
  status: string
  started_at: number
  estimated_seconds: number | null
  seen_at: number
  completed_at: number | null
}

export function createOperations(connection: DatabaseConnection): Immediate<Operations> {
  // An operation that ended stays ended: a slow answer of an earlier poll may come last.
  const upsert = connection.statement(`
    INSERT INTO operations (environment, id, type, subject, status, started_at, estimated_seconds, seen_at, completed_at)
    VALUES (:environment, :id, :type, :subject, coalesce(:status, 'queued'), coalesce(:startedAt, :seenAt),
            :estimatedSeconds, :seenAt, :completedAt)
    ON CONFLICT (environment, id) DO UPDATE SET
      type = coalesce(:type, type),
      subject = coalesce(:subject, subject),
      status = CASE WHEN :status IS NULL OR (:status = 'queued' AND status <> 'queued') THEN status ELSE :status END,
      started_at = coalesce(:startedAt, started_at),
      estimated_seconds = coalesce(:estimatedSeconds, estimated_seconds),
      seen_at = max(seen_at, :seenAt),
      completed_at = coalesce(:completedAt, completed_at)`)
  const one = connection.statement('SELECT * FROM operations WHERE environment = ? AND id = ?')
  const eraseThose = connection.statement(
    'DELETE FROM operations WHERE environment = ? AND subject IN (SELECT value FROM json_each(?))',
  )
  const some = connection.statement(`
    SELECT * FROM operations
    WHERE (:environment IS NULL OR environment = :environment) AND (:status IS NULL OR status = :status)
    ORDER BY started_at DESC, id DESC LIMIT :limit`)

  return {
    record(operation) {
      upsert().run({
        environment: operation.environment,
        id: operation.id,
        seenAt: operation.seenAt,
        type: operation.type ?? null,
        subject: operation.subject ?? null,
        status: operation.status ?? null,
        startedAt: operation.startedAt ?? null,
        estimatedSeconds: operation.estimatedSeconds ?? null,
        completedAt: operation.completedAt ?? null,
      })
    },
    get(environment, id) {
      const row = one().get(environment, id) as unknown as OperationRow | undefined
      return row && readOperation(row)
    },
    erase(environment, subjects) {
      eraseThose().run(environment, JSON.stringify([...subjects]))
    },
    list({ environment, status, limit = -1 } = {}) {
      const rows = some().all({ environment: environment ?? null, status: status ?? null, limit })
      return (rows as unknown as OperationRow[]).map(readOperation)
    },
  }
}

export function readOperation(row: OperationRow): KnownOperation {
  return {
    environment: row.environment,
    id: row.id,
    type: row.type ?? undefined,
    subject: row.subject ?? undefined,
    status: row.status,
    startedAt: row.started_at,
    estimatedSeconds: row.estimated_seconds ?? undefined,
    seenAt: row.seen_at,
    completedAt: row.completed_at ?? undefined,
  }
}
