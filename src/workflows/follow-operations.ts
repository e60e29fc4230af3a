import { ApiResponseError } from '../api/errors.ts'
import type { Operation } from '../contract/operations.ts'
import type { WorkflowContext } from './context.ts'
import { pollDelay } from './operations.ts'

/** `seen`: read for the first time, or its status changed. `gone`: the service does not know it (any more). */
export type Followed =
  | { readonly kind: 'seen'; readonly operation: Operation }
  | { readonly kind: 'gone'; readonly id: string }

/**
 * Follows operations until each is settled or gone. `source` is called for ids before every round, so that operations
 * started meanwhile are followed too; a settled one is not read again. They are read one at a time, and the pause
 * between rounds grows while nothing changes, as it does when waiting for one.
 * @throws whatever a read throws but a 404, or the signal's reason.
 */
export async function* followOperations(
  context: WorkflowContext<never>,
  source: () => readonly string[] | Promise<readonly string[]>,
): AsyncGenerator<Followed> {
  const { clock, signal } = context
  const statuses = new Map<string, string | undefined>()
  let changedAt = clock.elapsed()
  for (;;) {
    for (const id of await source()) if (!statuses.has(id)) statuses.set(id, undefined)
    for (const [id, before] of statuses) {
      if (isSettled(before)) continue
      const followed = await read(context, id)
      const now = followed.kind === 'gone' ? 'gone' : followed.operation.status
      if (now === before) continue
      statuses.set(id, now)
      changedAt = clock.elapsed()
      yield followed
    }
    if ([...statuses.values()].every(isSettled)) return
    await clock.sleep(pollDelay(clock.elapsed() - changedAt, undefined), signal)
  }
}

function isSettled(status: string | undefined): boolean {
  return status === 'succeeded' || status === 'failed' || status === 'gone'
}

async function read({ api, signal }: WorkflowContext<never>, id: string): Promise<Followed> {
  try {
    return { kind: 'seen', operation: await api.operations.get({ operation_id: id }, { signal }) }
  } catch (error) {
    if (error instanceof ApiResponseError && error.httpStatus === 404) return { kind: 'gone', id }
    throw error
  }
}
