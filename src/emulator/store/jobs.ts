/** Queries of scheduled jobs. */
import type { Database } from './database.ts'

export interface JobRow {
  readonly seq: number
  /** Milliseconds on the emulator's clock. */
  readonly due_at: number
  /** JSON. */
  readonly job: string
}

export function jobQueries(db: Database) {
  return {
    add: (due_at: number, job: string) => db.insert('jobs', { due_at, job }),
    has: (job: string) => db.get('SELECT 1 FROM jobs WHERE job = ?', job) !== undefined,
    /** The first in order of time, then of recording, that is not claimed. */
    next: (until: number) =>
      db.get<JobRow>(
        'SELECT seq, due_at, job FROM jobs WHERE claimed = 0 AND due_at <= ? ORDER BY due_at, seq LIMIT 1',
        until,
      ),
    nextDueAt: () =>
      db.get<{ due_at: number | null }>('SELECT min(due_at) AS due_at FROM jobs WHERE claimed = 0')?.due_at ??
      undefined,
    /** Marks a job as under way; it is removed when done. */
    claim: (seq: number) => db.run('UPDATE jobs SET claimed = 1 WHERE seq = ?', seq),
    remove: (seq: number) => db.run('DELETE FROM jobs WHERE seq = ?', seq),
    /** Frees the jobs that were under way when the last run ended. */
    releaseAll: () => db.run('UPDATE jobs SET claimed = 0 WHERE claimed = 1'),
    /** When this job is due; undefined when there is none, or it is under way. */
    dueAt: (job: string) =>
      db.get<{ due_at: number }>('SELECT due_at FROM jobs WHERE job = ? AND claimed = 0', job)?.due_at,
    count: () => db.get<{ n: number }>('SELECT count(*) AS n FROM jobs')?.n ?? 0,
  }
}
