/**
 * Sends a failed request again, only where that is safe. A `safe` one after failures of the network, 502, 503, 504 and
 * 429; one marked `if-refused` only after a 429 or a refused connection, when nothing can have happened yet; one marked
 * `never` not at all.
 */
import type { Endpoint } from '../contract/endpoint.ts'
import { type OperationRef, UnreachableError, UnreadableResponseError } from './errors.ts'
import { type HttpAnswer, header, type Repeats } from './http.ts'
import type { Clock, Random, ReplyHeaders, Retries, Wait } from './options.ts'

/** Delay before the second attempt, doubled for each further one. */
const FIRST_DELAY_MS = 250

export interface RetrySettings {
  readonly clock: Clock
  readonly random: Pick<Random, 'fraction'>
  readonly retries: Retries
  readonly onWait?: ((wait: Wait) => void) | undefined
}

type Outcome = { readonly answer: HttpAnswer } | { readonly failure: unknown }

/**
 * The answer of the first attempt that needs no further one. Rejects with the failure of the last attempt, or with
 * the signal's reason when it is aborted while waiting.
 */
export async function withRetries(
  request: { readonly repeats: Repeats; readonly operation: OperationRef },
  attempt: (number: number) => Promise<HttpAnswer>,
  settings: RetrySettings,
  signal: AbortSignal | undefined,
): Promise<HttpAnswer> {
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
  // The service replays the same answer for 24 hours.
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
  // A timeout has taken long already: retried once, and not when the body was too slow.
  if (failure.reason === 'timeout') return failure.phase !== 'body' && number === 1
  return true
}

/** Retry-After where the answer has one; else exponential backoff, half of it random. */
function delayFor(outcome: Outcome, number: number, { clock, random, retries }: RetrySettings): number {
  const asked = 'answer' in outcome ? retryAfterMs(outcome.answer.headers, clock.now()) : undefined
  if (asked !== undefined) return asked
  const full = Math.min(FIRST_DELAY_MS * 2 ** (number - 1), retries.maxDelayMs)
  return Math.round(full / 2 + (random.fraction() * full) / 2)
}

function settle(outcome: Outcome, attempts: number): HttpAnswer {
  if ('answer' in outcome) return outcome.answer
  if (outcome.failure instanceof UnreachableError) outcome.failure.attempts = attempts
  throw outcome.failure
}

function nameOf({ area, name, method, path }: OperationRef): string {
  return area && name ? `${area}.${name}` : `${method} ${path}`
}

/**
 * GET and DELETE are safe to send again; a POST or PATCH only when it was refused, unless it carries an Idempotency-Key
 * that the service honours. The method counts as well as the contract: the settings may have changed it.
 */
export function repeatsOf(endpoint: Endpoint | undefined, method: string, hasKey: boolean): Repeats {
  if (endpoint?.retry === 'never') return 'never'
  if (method === 'GET' || method === 'DELETE') return 'safe'
  return hasKey && endpoint?.retry === 'with-key' ? 'safe' : 'if-refused'
}

/**
 * How long the service asks to wait, in ms; undefined when it does not say or cannot be understood. A date is read
 * against the service's own Date header, so that a clock that is wrong here does not matter.
 */
export function retryAfterMs(headers: ReplyHeaders, now: number): number | undefined {
  const value = header(headers, 'retry-after')?.trim() ?? ''
  if (/^\d+$/.test(value)) return Number(value) * 1000
  const at = httpDate(value)
  if (at === undefined) return undefined
  return Math.max(0, at - (httpDate(header(headers, 'date')) ?? now))
}

function httpDate(text: string | undefined): number | undefined {
  // An HTTP date begins with the day of the week; Date.parse alone would accept much else.
  if (!text || !/^[A-Z][a-z]{2}/.test(text)) return undefined
  const time = Date.parse(text)
  return Number.isNaN(time) ? undefined : time
}
