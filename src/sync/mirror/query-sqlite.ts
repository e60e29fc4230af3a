/** Runs a query of the user in a process of its own: nothing else ends one that SQLite is busy with. */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { QueryOptions } from './mirror.ts'
import { queryFailed } from './mirror-error.ts'
import type { QueryResult, QueryTask } from './query-process.ts'

/**
 * Rejects with MirrorError `query_failed` for what the database refuses, writing included, and with the signal's reason.
 * `onRows` sees each batch before it is kept: what it throws ends the query.
 */
export async function queryInProcess(
  task: Omit<QueryTask, 'parent'>,
  signal: AbortSignal,
  program: URL = new URL('./query-process.ts', import.meta.url),
  onRows: QueryOptions['onRows'] = undefined,
): Promise<readonly Record<string, unknown>[]> {
  signal.throwIfAborted()
  const child = fork(fileURLToPath(program), {
    env: {},
    execArgv: [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const end = () => void child.kill('SIGKILL')
  signal.addEventListener('abort', end, { once: true })
  try {
    return await new Promise((resolve, reject) => {
      const all: Record<string, unknown>[] = []
      child.on('message', (result: QueryResult) => {
        if ('problem' in result) return reject(queryFailed(result.problem))
        if ('done' in result) return resolve(all)
        try {
          onRows?.(result.rows)
        } catch (error) {
          child.kill('SIGKILL')
          return reject(error)
        }
        for (const row of result.rows) all.push(row)
      })
      child.once('error', reject)
      child.once('exit', () =>
        reject(signal.aborted ? signal.reason : queryFailed('the process that ran it was killed')),
      )
      child.send({ ...task, parent: process.pid } satisfies QueryTask)
    })
  } finally {
    signal.removeEventListener('abort', end)
    child.kill('SIGKILL')
  }
}
