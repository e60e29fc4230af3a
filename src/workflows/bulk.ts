/** Does the same to many, so many at once, and accounts for each: done, failed, left undone, or nobody knows. */
import { ApiResponseError, UnreachableError, UnreadableResponseError } from '../api/errors.ts'
import type { Clock } from '../api/options.ts'

/**
 * `left`: not done, and safe to do later. `unknown`: sent without an answer, so it may have been done; it is never sent again.
 */
export type Ending = 'done' | 'failed' | 'left' | 'unknown'

export interface Settled<Item, Value> {
  readonly item: Item
  readonly ending: Ending
  /** What the work returned, when done. */
  readonly value?: Value
  /** Why it was not done; absent where it was not begun. */
  readonly error?: unknown
}

/**
 * Why nothing more was begun: Ctrl-C, a failure without `keepGoing`, three in a row that were refused, could not be sent or were
 * not answered, or a failure that concerns all.
 */
export type Stop = 'interrupted' | 'failure' | 'limited' | 'unreachable' | 'unanswered' | 'fatal'

/** Keeps which items are left, so that a run that is killed repeats nothing of what was sent. */
export interface LeftItems<Item = string> {
  /** Every item is left, at first. */
  begin(items: readonly Item[]): void
  /** Takes the item out of those that are left; it is sent then. @throws when that cannot be kept: it is not sent. */
  take(item: Item): void
  settled(item: Item, isLeft: boolean): void
}

export interface BulkResult<Item, Value> {
  /** In the order of the items. */
  readonly settled: readonly Settled<Item, Value>[]
  readonly stop: Stop | undefined
  /** The failure that concerns all. */
  readonly fatal?: unknown
  /** How long the service asked to wait when it last refused. */
  readonly retryAfterMs: number | undefined
}

export interface BulkOptions<Item, Value> {
  readonly concurrency: number
  /** Go on after a failure. */
  readonly keepGoing: boolean
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Begins no more once aborted; what is under way goes on. */
  readonly halt?: AbortSignal | undefined
  /** Whether the work changes something: without its answer nobody knows whether it did. */
  readonly changes: boolean
  /** Whether work that was refused with a short Retry-After is done after the pause. */
  readonly repeatsRefused: boolean
  /** Whether a failure that is none of the service is about its item alone; otherwise it concerns all. */
  readonly isOfOne?: (error: unknown) => boolean
  readonly onSettled?: (settled: Settled<Item, Value>) => void
  readonly left?: LeftItems<Item> | undefined
}

/** Refusals in a row after which nothing more is sent. */
const MAX_IN_A_ROW = 3
/** A 429 with a longer Retry-After is about a daily budget, and not about the rate of requests. */
const MAX_PAUSE_MS = 60_000
/** Pauses for one item, after which it is left. */
const MAX_PAUSES = 10
/** How long a request under way may take to be answered after Ctrl-C. */
const GRACE_MS = 1000

/**
 * Runs `work` for each item. It never rejects for what happens to an item, nor when the signal aborts: requests under way then
 * get a second to be answered, so that fewer end as unknown.
 */
export async function inBulk<Item, Value>(
  items: readonly Item[],
  work: (item: Item, signal: AbortSignal) => Promise<Value>,
  options: BulkOptions<Item, Value>,
): Promise<BulkResult<Item, Value>> {
  const { clock, signal, halt, onSettled, left, isOfOne = () => false } = options
  left?.begin(items)
  const settled = new Map<number, Settled<Item, Value>>()
  const patience = patienceOf(signal, clock)
  let next = 0
  let stop: Stop | undefined
  let fatal: unknown
  let inARow = 0
  /** Whether one of those in a row was sent, and its answer lost. */
  let sent = false
  let retryAfterMs: number | undefined
  let pausedUntil = 0

  const pause = async () => {
    while (pausedUntil > clock.elapsed()) await clock.sleep(pausedUntil - clock.elapsed(), signal)
  }
  const tryIt = async (item: Item): Promise<Value> => {
    for (let pauses = 0; ; pauses += 1) {
      try {
        left?.take(item)
        const value = await work(item, patience.signal)
        left?.settled(item, false)
        return value
      } catch (error) {
        left?.settled(item, endOf(error) === 'left')
        const ms = options.repeatsRefused && pauses < MAX_PAUSES ? shortPause(error) : undefined
        if (ms === undefined || signal.aborted) throw error
        pausedUntil = Math.max(pausedUntil, clock.elapsed() + ms)
        await pause()
      }
    }
  }
  const endOf = (error: unknown): Ending => {
    if (signal.aborted && error === signal.reason) return options.changes ? 'unknown' : 'left'
    return endOfFailure(error, options.changes) ?? (isOfOne(error) ? 'failed' : 'left')
  }
  const noteFailure = (error: unknown, ending: Ending) => {
    const limited = error instanceof ApiResponseError && error.httpStatus === 429
    const refused = limited || error instanceof UnreachableError
    inARow = refused ? inARow + 1 : 0
    if (!refused) sent = false
    else if (error instanceof UnreachableError && !wasNotSent(error)) sent = true
    if (limited) retryAfterMs = error.retryAfterMs
    if (signal.aborted) return
    if (concernsAll(error) && !isOfOne(error)) {
      fatal ??= error
      stop ??= 'fatal'
    } else if (refused && inARow >= MAX_IN_A_ROW)
      stop ??= limited ? 'limited' : sent ? 'unanswered' : 'unreachable'
    else if (!options.keepGoing && ending !== 'left') stop ??= 'failure'
  }
  const isOver = () => stop !== undefined || signal.aborted || halt?.aborted === true
  const worker = async () => {
    while (next < items.length && !isOver()) {
      await pause().catch(() => undefined)
      if (next >= items.length || isOver()) return
      const at = next
      next += 1
      const item = items[at] as Item
      let result: Settled<Item, Value>
      try {
        result = { item, ending: 'done', value: await tryIt(item) }
        inARow = 0
        sent = false
      } catch (error) {
        const ending = endOf(error)
        noteFailure(error, ending)
        result = { item, ending, error }
      }
      settled.set(at, result)
      onSettled?.(result)
    }
  }
  await Promise.all(Array.from({ length: Math.min(options.concurrency, items.length) }, worker))
  patience.end()
  if (signal.aborted) stop = 'interrupted'
  else if (halt?.aborted) stop ??= 'failure'
  return {
    settled: items.map((item, at) => settled.get(at) ?? { item, ending: 'left' }),
    stop,
    retryAfterMs,
    ...(fatal === undefined ? {} : { fatal }),
  }
}

/** A signal that aborts a little after the given one, with its reason. */
function patienceOf(signal: AbortSignal, clock: Clock): { readonly signal: AbortSignal; end(): void } {
  const late = new AbortController()
  const over = new AbortController()
  const onAbort = () => {
    void clock.sleep(GRACE_MS, over.signal).then(
      () => late.abort(signal.reason),
      () => undefined,
    )
  }
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  return {
    signal: late.signal,
    end() {
      signal.removeEventListener('abort', onAbort)
      over.abort()
    },
  }
}

function shortPause(error: unknown): number | undefined {
  if (!(error instanceof ApiResponseError) || error.httpStatus !== 429) return undefined
  const { retryAfterMs } = error
  return retryAfterMs !== undefined && retryAfterMs <= MAX_PAUSE_MS ? retryAfterMs : undefined
}

/** How work ends for a failure of the service or on the way to it; undefined for others. */
function endOfFailure(error: unknown, changes: boolean): Ending | undefined {
  if (error instanceof ApiResponseError) return endOfAnswer(error, changes)
  if (error instanceof UnreachableError && wasNotSent(error)) return 'left'
  if (!(error instanceof UnreachableError || error instanceof UnreadableResponseError)) return undefined
  return changes ? 'unknown' : 'failed'
}

/** Whether a request that changes something may have been done although it failed. */
export function mayBeDone(error: unknown): boolean {
  const ending = endOfFailure(error, true)
  return ending === undefined || ending === 'unknown'
}

function endOfAnswer(error: ApiResponseError, changes: boolean): Ending {
  if (error.httpStatus === 429 || concernsAll(error)) return 'left'
  // A gateway answers for a service that may have done it.
  return changes && error.httpStatus >= 500 ? 'unknown' : 'failed'
}

function wasNotSent({ nothingSent, reason }: UnreachableError): boolean {
  return nothingSent || reason === 'dns'
}

/** Whether a failure is not about one item: the key, its scope, or a fault of this program or machine. */
function concernsAll(error: unknown): boolean {
  if (error instanceof ApiResponseError)
    return error.exit === 'notAuthenticated' || error.code === 'insufficient_scope'
  return !(error instanceof UnreachableError || error instanceof UnreadableResponseError)
}
