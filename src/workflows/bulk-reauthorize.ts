/** Makes links for many users to repair their Connections: never a second one while the first is valid. */
import type { Reauthorization } from '../contract/connections.ts'
import { type BulkResult, inBulk, type LeftItems } from './bulk.ts'
import type { BulkProgress } from './bulk-refresh.ts'
import type { WorkflowContext } from './context.ts'
import {
  type LinkMarks,
  type LinkStore,
  type ReauthorizeResult,
  reauthorize,
  validLink,
} from './reauthorize.ts'

/** `made` now, or `reused`: made before and still valid. `left` and `unknown` as for any bulk. */
export type LinkOutcome = 'made' | 'reused' | 'failed' | 'unknown' | 'left'

export interface Linked {
  readonly connectionId: string
  readonly outcome: LinkOutcome
  readonly link: Reauthorization | undefined
  readonly movedTo: string | undefined
  readonly error: unknown
}

export interface BulkReauthorize extends Omit<BulkResult<never, never>, 'settled'> {
  /** In the order of the ids. */
  readonly linked: readonly Linked[]
}

/**
 * Asks once with the number of links to make, which may be none, then makes them. `keep` is given each link as it comes, before
 * the next outcome counts. What happens to one is its outcome; it rejects when the user declines, and then nothing is done.
 */
export async function reauthorizeInBulk(
  context: WorkflowContext<BulkProgress>,
  store: LinkStore,
  connectionIds: readonly string[],
  options: {
    readonly concurrency: number
    readonly keepGoing: boolean
    /** Make a link also while one is valid. */
    readonly fresh: boolean
    /** `valid` have a link that is still valid; with `fresh` they get a second one. */
    readonly confirm: (toMake: number, valid: readonly string[]) => Promise<void>
    readonly marks: LinkMarks
    readonly left: LeftItems | undefined
    readonly keep: (connectionId: string, link: Reauthorization) => Promise<void>
  },
): Promise<BulkReauthorize> {
  const { clock, signal } = context
  const valid: string[] = []
  for (const id of connectionIds) if (await validLink(store, id, clock)) valid.push(id)
  await options.confirm(connectionIds.length - (options.fresh ? 0 : valid.length), valid)
  let done = 0
  let failed = 0
  const { settled, ...end } = await inBulk(
    connectionIds,
    async (connectionId, late): Promise<ReauthorizeResult> => {
      const result = await reauthorize({ ...context, signal: late }, store, {
        connectionId,
        fresh: options.fresh,
        confirm: async () => undefined,
        marks: options.marks,
      })
      await options.keep(connectionId, result.reauthorization)
      return result
    },
    {
      concurrency: options.concurrency,
      keepGoing: options.keepGoing,
      clock,
      signal,
      changes: true,
      // Only the user asks again.
      repeatsRefused: false,
      left: options.left,
      onSettled({ ending }) {
        if (ending === 'done') done += 1
        else if (ending !== 'left') failed += 1
        context.onProgress?.({ total: connectionIds.length, done, failed, waiting: 0 })
      },
    },
  )
  return {
    ...end,
    linked: settled.map(({ item, ending, value, error }) => ({
      connectionId: item,
      outcome: ending === 'done' ? (value?.reused ? 'reused' : 'made') : ending,
      link: value?.reauthorization,
      movedTo: value?.movedTo,
      error,
    })),
  }
}
