/** Refreshes many Connections, and waits for all of them on one polling schedule. */
import { ApiResponseError } from '../api/errors.ts'
import type { Connection } from '../contract/connections.ts'
import type { Operation } from '../contract/operations.ts'
import type { OperationAccepted } from '../contract/shapes.ts'
import { BankapiError } from '../errors.ts'
import { type BulkResult, inBulk, type LeftItems } from './bulk.ts'
import type { WorkflowContext } from './context.ts'
import { OperationFailedError } from './operation-errors.ts'
import { pollDelay } from './operations.ts'

/**
 * `accepted`: begun, and not waited for. `running`: not settled when the wait ended. `left` and `unknown` as for any bulk.
 */
export type RefreshOutcome = 'succeeded' | 'accepted' | 'running' | 'failed' | 'unknown' | 'left'

export interface Refreshed {
  readonly connectionId: string
  readonly outcome: RefreshOutcome
  readonly operationId: string | undefined
  /** Why it failed, was left, or is unknown; absent where it was not begun. */
  readonly error: unknown
}

export interface BulkProgress {
  readonly total: number
  readonly done: number
  readonly failed: number
  /** Begun and not settled. */
  readonly waiting: number
}

export interface BulkRefreshOptions {
  readonly concurrency: number
  readonly keepGoing: boolean
  /** Milliseconds to wait for each outcome; undefined: do not wait. */
  readonly timeoutMs: number | undefined
  readonly onAccepted?: (connectionId: string, accepted: OperationAccepted) => void
  readonly onOperation?: (operation: Operation) => void
  readonly left?: LeftItems | undefined
}

export interface BulkRefresh extends Pick<BulkResult<string, unknown>, 'stop' | 'fatal' | 'retryAfterMs'> {
  /** In the order of the ids. */
  readonly refreshed: readonly Refreshed[]
}

/** Refreshes each once. What happens to one is its outcome; nothing is thrown for it, nor when the signal aborts. */
export async function refreshInBulk(
  context: WorkflowContext<BulkProgress>,
  connectionIds: readonly string[],
  options: BulkRefreshOptions,
): Promise<BulkRefresh> {
  const { api, clock, signal, onProgress } = context
  const halt = new AbortController()
  const outcomes = new Map<string, Refreshed>()
  let settled = 0
  let failed = 0
  let waiting = 0
  const tell = () => onProgress?.({ total: connectionIds.length, done: settled - failed, failed, waiting })
  const note = (refreshed: Refreshed) => {
    outcomes.set(refreshed.connectionId, refreshed)
    settled += 1
    const { outcome } = refreshed
    if (outcome === 'failed' || outcome === 'unknown') failed += 1
    tell()
  }
  const waits = new Waits(context, {
    concurrency: options.concurrency,
    onOperation: options.onOperation,
    onSettled: (refreshed) => {
      waiting -= 1
      note(refreshed)
      if (refreshed.outcome === 'failed' && !options.keepGoing) halt.abort()
    },
  })
  const polling = options.timeoutMs === undefined ? undefined : waits.run(options.timeoutMs)
  const { settled: all, ...end } = await inBulk(
    connectionIds,
    async (connection_id, late) => {
      const accepted = await api.connections.refresh({ connection_id }, { signal: late })
      options.onAccepted?.(connection_id, accepted)
      return accepted
    },
    {
      concurrency: options.concurrency,
      keepGoing: options.keepGoing,
      clock,
      signal,
      halt: halt.signal,
      changes: true,
      repeatsRefused: true,
      left: options.left,
      onSettled({ item, ending, value, error }) {
        if (ending !== 'done' || value === undefined) {
          if (ending !== 'left')
            note({ connectionId: item, outcome: ending as RefreshOutcome, operationId: undefined, error })
        } else if (polling === undefined) {
          note({
            connectionId: item,
            outcome: 'accepted',
            operationId: value.operation_id,
            error: undefined,
          })
        } else {
          waiting += 1
          waits.add(item, value)
          tell()
        }
      },
    },
  )
  waits.close()
  await polling
  return {
    ...end,
    refreshed: all.map(
      ({ item, error }) =>
        outcomes.get(item) ?? { connectionId: item, outcome: 'left', operationId: undefined, error },
    ),
  }
}

/** Why a refresh cannot help a Connection; undefined where it can. */
export function whyNotRefresh({
  status,
  requires_desktop_app,
}: Pick<Connection, 'status' | 'requires_desktop_app'>): string | undefined {
  if (status === 'disconnected') return 'access ended: only a new link brings data again'
  if (status === 'requires_action') return 'its user has to act first'
  // Without it the refresh fails, and the Connection waits for its user.
  return requires_desktop_app === true ? 'the desktop app has to be open' : undefined
}

interface Wait {
  readonly connectionId: string
  readonly operationId: string
  readonly since: number
  /** Reads in a row that failed. */
  failures: number
}

interface WaitsOptions {
  readonly concurrency: number
  readonly onOperation: ((operation: Operation) => void) | undefined
  readonly onSettled: (refreshed: Refreshed) => void
}

/** Reads of an operation that may fail in a row before the wait for it is given up. */
const MAX_FAILED_READS = 3

/** The operations that are waited for: each round reads all of them, and the pause grows while nothing changes. */
class Waits {
  readonly #context: WorkflowContext<BulkProgress>
  readonly #options: WaitsOptions
  readonly #waiting = new Map<string, Wait>()
  #closed = false
  #wake: () => void = () => {}
  #changedAt: number
  #estimatedSeconds: number | undefined

  constructor(context: WorkflowContext<BulkProgress>, options: WaitsOptions) {
    this.#context = context
    this.#options = options
    this.#changedAt = context.clock.elapsed()
  }

  add(connectionId: string, { operation_id: operationId, estimated_seconds }: OperationAccepted): void {
    const since = this.#context.clock.elapsed()
    this.#waiting.set(operationId, { connectionId, operationId, since, failures: 0 })
    this.#estimatedSeconds ??= estimated_seconds
    this.#changedAt = since
    this.#wake()
  }

  /** No more come. */
  close(): void {
    this.#closed = true
    this.#wake()
  }

  /** Resolves when no more come and none is waited for. Those that are not settled in time end as running. */
  async run(timeoutMs: number): Promise<void> {
    const { clock, signal } = this.#context
    while (!this.#closed || this.#waiting.size > 0) {
      if (this.#waiting.size === 0) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
        continue
      }
      const pause = pollDelay(clock.elapsed() - this.#changedAt, this.#estimatedSeconds)
      const deadlines = [...this.#waiting.values()].map(({ since }) => since + timeoutMs - clock.elapsed())
      await clock.sleep(Math.max(0, Math.min(pause, ...deadlines)), signal).catch(() => undefined)
      await this.#round(timeoutMs)
    }
  }

  async #round(timeoutMs: number): Promise<void> {
    const { signal, clock } = this.#context
    const left = [...this.#waiting.values()]
    const reader = async () => {
      for (let wait = left.shift(); wait !== undefined; wait = left.shift()) {
        // Interrupted: whatever it is, it goes on at the service.
        if (signal.aborted) this.#end(wait, 'running', undefined)
        else await this.#read(wait, clock.elapsed() - wait.since >= timeoutMs)
      }
    }
    await Promise.all(Array.from({ length: Math.min(this.#options.concurrency, left.length) }, reader))
  }

  async #read(wait: Wait, isLast: boolean): Promise<void> {
    const { api, signal } = this.#context
    try {
      const operation = await api.operations.get({ operation_id: wait.operationId }, { signal })
      wait.failures = 0
      if (operation.status === 'succeeded') this.#end(wait, 'succeeded', undefined)
      else if (operation.status === 'failed')
        this.#end(wait, 'failed', new OperationFailedError(operation, wait.connectionId))
      else if (isLast) this.#end(wait, 'running', undefined)
      if (operation.status !== 'queued') this.#options.onOperation?.(operation)
    } catch (error) {
      wait.failures += 1
      const gone = error instanceof ApiResponseError && error.httpStatus === 404
      if (gone) this.#end(wait, 'unknown', error)
      else if (isLast || wait.failures >= MAX_FAILED_READS || !(error instanceof BankapiError))
        this.#end(wait, 'running', signal.aborted ? undefined : error)
    }
  }

  #end({ connectionId, operationId }: Wait, outcome: RefreshOutcome, error: unknown): void {
    this.#waiting.delete(operationId)
    this.#changedAt = this.#context.clock.elapsed()
    this.#options.onSettled({ connectionId, outcome, operationId, error })
  }
}
