import type { Clock } from '../api/options.ts'
import type { Reauthorization } from '../contract/connections.ts'
import { isOfSource } from '../contract/ids.ts'
import { mayBeDone } from './bulk.ts'
import type { WorkflowContext } from './context.ts'

/** Stores the links that were made. A `reauth_url` is a credential: the store has to be fit for secrets. */
export interface LinkStore {
  get(connectionId: string): Promise<Reauthorization | undefined>
  set(connectionId: string, link: Reauthorization): Promise<void>
}

/** Connections for which a link may have been made that nobody has: its answer was lost, or the program ended before it. */
export interface LinkMarks {
  set(connectionId: string): void
  clear(connectionId: string): void
}

export interface ReauthorizeResult {
  readonly reauthorization: Reauthorization
  /** The link was made before and is still valid. */
  readonly reused: boolean
  /** The source that serves the bank now, when it changed: the session will create a new Connection with new ids. */
  readonly movedTo: string | undefined
}

/** The link made before, while it is valid. */
export async function validLink(
  store: LinkStore,
  connectionId: string,
  clock: Clock,
): Promise<Reauthorization | undefined> {
  const known = await store.get(connectionId)
  return known !== undefined && Date.parse(known.action.expires_at) > clock.now() ? known : undefined
}

/**
 * Returns the link made before while it is valid, because completed sessions may be billed and a second link must
 * not be made while the first is valid; makes one when there is none, or when `fresh` is set. Never retried.
 * @throws what the call throws, or the signal's reason.
 */
export async function reauthorize(
  { api, clock, signal }: Pick<WorkflowContext<never>, 'api' | 'clock' | 'signal'>,
  store: LinkStore,
  options: {
    readonly connectionId: string
    readonly fresh: boolean
    /** Called before a link is made; rejects when the user declines. */
    readonly confirm: () => Promise<void>
    /** Keeps in mind that a link may have been made, from before its request is sent until its outcome is known. */
    readonly marks?: LinkMarks | undefined
  },
): Promise<ReauthorizeResult> {
  const { connectionId } = options
  const known = options.fresh ? undefined : await validLink(store, connectionId, clock)
  const reused = known !== undefined
  if (!reused) await options.confirm()
  const make = async () => {
    options.marks?.set(connectionId)
    try {
      return await api.connections.reauthorize({ connection_id: connectionId }, { signal })
    } catch (error) {
      if (!mayBeDone(error)) options.marks?.clear(connectionId)
      throw error
    }
  }
  const reauthorization = known ?? (await make())
  if (!reused) await store.set(connectionId, reauthorization)
  const source: unknown = reauthorization.source
  const moved = typeof source === 'string' && source !== '' && !isOfSource(connectionId, source)
  return { reauthorization, reused, movedTo: moved ? source : undefined }
}
