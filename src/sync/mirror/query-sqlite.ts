/** Runs a query of the user on a thread of its own, so that one that never ends can be ended. */
import { Worker } from 'node:worker_threads'
import { MirrorError } from './mirror-error.ts'
import type { QueryResult, QueryTask } from './query-thread.ts'

/**
 * Rejects with MirrorError `query_failed` for what the database refuses, writing included, and with the signal's reason.
 * `program` is the file of query-thread where it is not beside this one.
 */
export async function queryInThread(
  task: QueryTask,
  signal: AbortSignal,
  program: URL = new URL('./query-thread.ts', import.meta.url),
): Promise<readonly Record<string, unknown>[]> {
  signal.throwIfAborted()
  const thread = new Worker(program, { workerData: task, stdin: false, env: {} })
  const end = () => void thread.terminate()
  signal.addEventListener('abort', end, { once: true })
  try {
    const result = await new Promise<QueryResult>((resolve, reject) => {
      thread.once('message', resolve)
      thread.once('error', reject)
      thread.once('exit', () =>
        reject(signal.aborted ? signal.reason : new Error('the thread of the query ended')),
      )
    })
    if ('rows' in result) return result.rows
    throw queryFailed(result.problem)
  } finally {
    signal.removeEventListener('abort', end)
    await thread.terminate()
  }
}

export function queryFailed(problem: string): MirrorError {
  const refused = /not authorized|readonly|read-only/i.test(problem)
  return new MirrorError(
    'query_failed',
    `The query cannot be run: ${refused ? 'it may only read the mirror' : problem}`,
    'See the tables and views: bankapi sync schema',
  )
}
