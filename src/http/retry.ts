/**
 * Sends a failed request again, only where that is safe. A `safe` one after failures of the network, 502, 503, 504 and
 * 429; one marked `if-refused` only after a 429 or a refused connection, when nothing can have happened yet; one marked
 * `never` not at all.
 */
import type { OperationRef } from './errors.ts'
import { UnreachableError, UnreadableResponseError } from './errors.ts'
import type { Clock, Random, Retries, Wait } from './options.ts'
import { retryAfterMs } from './retry-after.ts'
import { type Answer, header, type Repeats } from './wire.ts'

/** Delay before the second attempt, doubled for each further one. */
const firstDelayMs = 250

export interface RetrySettings {
  readonly clock: Clock
  readonly random: Random
  readonly retries: Retries
  readonly onWait?: ((wait: Wait) => void) | undefined
}

type Outcome = { readonly answer: Answer } | { readonly failure: unknown }

/**
 * The answer of the first attempt that needs no further one. Rejects with the failure of the last attempt, or with
 * the signal's reason when it is aborted while waiting.
 */
export async function withRetries(
  request: { readonly repeats: Repeats; readonly operation: OperationRef },
  attempt: (number: number) => Promise<Answer>,
  settings: RetrySettings,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  const { clock, retries } = settings
  const started = clock.elapsed()
  for (let number = 1; ; number++) {
    const outcome = await attempt(number).then(
      (answer): Outcome => ({ answer }),
      (failure: unknown): Outcome => ({ failure }),
    )
    const reason = signal?.aborted ? undefined : reasonToRepeat(outcome, request.repeats, number)
    const delayMs = delayFor(outcome, number, settings)
    const tooLate = clock.elapsed() - started + delayMs > retries.withinMs
    if (reason === undefined || number >= retries.attempts || delayMs > retries.maxDelayMs || tooLate) {
      return settle(outcome, number)
    }
    settings.onWait?.({ reason, delayMs, attempt: number, operation: nameOf(request.operation) })
    await clock.sleep(delayMs, signal)
  }
}

/** Why an outcome is worth another attempt, or undefined when it is final. */
function reasonToRepeat(outcome: Outcome, repeats: Repeats, number: number): Wait['reason'] | undefined {
  if (repeats === 'never') return undefined
  if ('failure' in outcome) return couldPass(outcome.failure, repeats, number) ? 'unreachable' : undefined

  const { status, headers } = outcome.answer
  // A replay is the same answer for 24 hours.
  if (header(headers, 'idempotent-replayed') === 'true') return undefined
  if (status === 429) return 'rate_limited'
  if (repeats !== 'safe') return undefined
  if (status === 502 || status === 503 || status === 504) return 'unavailable'
  // The first request with this Idempotency-Key is still running.
  return status === 409 && header(headers, 'retry-after') !== undefined ? 'in_progress' : undefined
}

function couldPass(failure: unknown, repeats: Repeats, number: number): boolean {
  if (repeats === 'if-refused') return failure instanceof UnreachableError && failure.nothingSent
  if (failure instanceof UnreadableResponseError) return failure.reason === 'cut'
  if (!(failure instanceof UnreachableError) || failure.reason === 'tls') return false
  // Somebody waited for it already: once more at most, and not for a body that drips.
  if (failure.reason === 'timeout') return failure.phase !== 'body' && number === 1
  return true
}

/** Retry-After where the answer has one; else exponential, half of it by chance. */
function delayFor(outcome: Outcome, number: number, { clock, random, retries }: RetrySettings): number {
  const asked = 'answer' in outcome ? retryAfterMs(outcome.answer.headers, clock.now()) : undefined
  if (asked !== undefined) return asked
  const full = Math.min(firstDelayMs * 2 ** (number - 1), retries.maxDelayMs)
  return Math.round(full / 2 + (random.fraction() * full) / 2)
}

function settle(outcome: Outcome, attempts: number): Answer {
  if ('answer' in outcome) return outcome.answer
  if (outcome.failure instanceof UnreachableError) outcome.failure.attempts = attempts
  throw outcome.failure
}

function nameOf({ area, name, method, path }: OperationRef): string {
  return area && name ? `${area}.${name}` : `${method} ${path}`
}
