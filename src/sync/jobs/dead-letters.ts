/** The Clients whose jobs failed for good: no worker takes them until the next run lists them again. */
import { sql } from 'kysely'
import type { Mirror } from '../mirror/mirror.ts'

/** Where pg-boss keeps the jobs, in the Postgres of the mirror. */
export const JOBS_SCHEMA = 'bankapi_jobs'
export const DEAD_LETTERS = 'dead-letters'

export interface DeadLetter {
  /** Null for the listing of the Clients. */
  readonly client_id: string | null
  /** Of the last failure. */
  readonly code: string
  readonly message: string
  /** How often it was tried again. */
  readonly retries: number
  readonly failed_at: string
}

/** One per Client, the latest first. None where no worker has run. @throws MirrorError */
export async function deadLetters({ kind, db }: Pick<Mirror, 'kind' | 'db'>): Promise<readonly DeadLetter[]> {
  if (kind !== 'postgres') return []
  const jobs = `${JOBS_SCHEMA}.job`
  const { rows: found } = await sql<{
    there: boolean
  }>`SELECT to_regclass(${jobs}) IS NOT NULL AS there`.execute(db)
  if (!found[0]?.there) return []
  const { rows } = await sql<DeadLetter>`
    SELECT * FROM (
      SELECT DISTINCT ON (data->>'client_id')
        data->>'client_id' AS client_id,
        coalesce(source_output->>'code', 'unknown') AS code,
        coalesce(source_output->>'message', source_output->'value'->>'message', '') AS message,
        source_retry_count AS retries,
        created_on AS failed_at
      FROM ${sql.table(jobs)}
      WHERE name = ${DEAD_LETTERS} AND state = 'created'
      ORDER BY data->>'client_id', created_on DESC
    ) AS letters
    ORDER BY failed_at DESC`.execute(db)
  return rows
}
