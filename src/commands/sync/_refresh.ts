/** `sync --refresh`: asks the sources for fresh data before the mirror is brought up to date (rule 9). */
import { ApiResponseError } from '../../api/errors.ts'
import type { OperationAccepted } from '../../contract/shapes.ts'
import { BankapiError } from '../../errors.ts'
import type { Mirror } from '../../sync/mirror/mirror.ts'
import type { WorkflowContext } from '../../workflows/context.ts'
import { refreshConnection, type WaitProgress } from '../../workflows/operations.ts'

/** What became of the refreshes. */
export interface Refreshes {
  readonly refreshed: number
  readonly failed: readonly {
    readonly connection_id: string
    readonly code: string
    readonly message: string
  }[]
}

export interface RefreshAllOptions {
  readonly concurrency: number
  /** Of the wait for one operation. */
  readonly timeoutMs: number
  readonly onAccepted: (connectionId: string, accepted: OperationAccepted) => void
  readonly onDone: (done: number, total: number) => void
}

/**
 * The Connections that a refresh can help: one that needs its user, or its user's desktop app, would only fail, and that of a
 * desktop app would be changed by the attempt.
 */
export async function refreshable(
  { db }: Pick<Mirror, 'db'>,
  clients: readonly string[] | undefined,
): Promise<readonly string[]> {
  const found = await db
    .selectFrom('connections')
    .select(['id', 'client_id', 'requires_desktop_app'])
    .where('gone_at', 'is', null)
    .where('status', 'in', ['active', 'failed'])
    .orderBy('id')
    .execute()
  return found
    .filter(({ client_id, requires_desktop_app: app }) => !app && (clients?.includes(client_id) ?? true))
    .map(({ id }) => id)
}

/**
 * Refreshes each and waits for the outcomes. A failure stops only its own Connection, a 429 too: it is about the daily budget of
 * that one. Rejects with the signal's reason, and when the key may not refresh.
 */
export async function refreshAll(
  context: WorkflowContext<WaitProgress>,
  connectionIds: readonly string[],
  { concurrency, timeoutMs, onAccepted, onDone }: RefreshAllOptions,
): Promise<Refreshes> {
  const left = [...connectionIds]
  const failed: Refreshes['failed'][number][] = []
  let done = 0
  const work = async () => {
    for (let id = left.shift(); id !== undefined; id = left.shift()) {
      const connectionId = id
      try {
        await refreshConnection(context, {
          connectionId,
          timeoutMs,
          onAccepted: (accepted) => onAccepted(connectionId, accepted),
        })
      } catch (error) {
        context.signal.throwIfAborted()
        if (!(error instanceof BankapiError) || concernsAll(error)) throw error
        failed.push({ connection_id: connectionId, code: error.code, message: error.sentence })
      }
      done += 1
      onDone(done, connectionIds.length)
    }
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, left.length) }, work))
  return { refreshed: done - failed.length, failed }
}

function concernsAll(error: BankapiError): boolean {
  if (error.exit === 'notAuthenticated') return true
  return error instanceof ApiResponseError && error.code === 'insufficient_scope'
}
