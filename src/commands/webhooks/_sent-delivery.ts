/** Deliveries that `webhooks trigger` and `replay` send: the flags of the target, the outcome as data and as text. */
import { Flags } from '@oclif/core'
import { timeLimit } from '../../cli/command/flags.ts'
import { UsageError } from '../../cli/errors/errors.ts'
import type { ExitName } from '../../errors.ts'
import { safeText } from '../../output/safe-text.ts'

/** On commands that send deliveries themselves. */
export const targetFlags = {
  'insecure-tls': Flags.boolean({ summary: 'Accept any certificate of the target' }),
  timeout: timeLimit({
    summary: 'Give the target this long to answer',
    default: 30_000,
    defaultHelp: async () => '30s',
  }),
}

export interface SentDelivery {
  readonly event_id: string | null
  readonly type: string | null
  readonly url: string
  /** Null when no answer came. */
  readonly status: number | null
  readonly duration_ms: number
  readonly error: string | null
  /** The beginning of the target's answer, as text. */
  readonly body: string
}

export interface SentDeliveries {
  readonly data: readonly SentDelivery[]
  readonly accepted: number
}

/** The result that the listener's forwarder reports. */
interface ForwardOutcome {
  readonly url: string
  readonly status: number | undefined
  readonly durationMs: number
  readonly error: string | undefined
  readonly body: Uint8Array
}

/** The beginning of an answer that is kept and shown. */
const MAX_ANSWER_BYTES = 2000

export function sentDelivery(
  { eventId, type }: { eventId?: string | undefined; type?: string | undefined },
  { url, status, durationMs, error, body }: ForwardOutcome,
): SentDelivery {
  return {
    event_id: eventId ?? null,
    type: type ?? null,
    url,
    status: status ?? null,
    duration_ms: Math.round(durationMs),
    error: error ?? null,
    body: new TextDecoder().decode(body.subarray(0, MAX_ANSWER_BYTES)),
  }
}

export function sentDeliveries(data: readonly SentDelivery[]): SentDeliveries {
  return { data, accepted: data.filter(isAccepted).length }
}

/** A line for people, and below it the target's answer. */
export function sentLines(sent: SentDelivery): string[] {
  const { status, url, event_id, type, duration_ms, error, body } = sent
  const outcome = status === null ? `no answer: ${error ?? ''}` : String(status)
  const line = [outcome, `POST ${url}`, type ?? '(no type)', event_id ?? '(no event id)', `${duration_ms}ms`]
  const said = body.trim()
  return [line.map(safeText).join('  '), ...(said === '' ? [] : [`     ${safeText(said)}`])]
}

/** The exit code: `unreachable` when a delivery got no answer or a 5xx, `rejected` when one was refused otherwise. */
export function exitNameOfSent({ data }: SentDeliveries): ExitName {
  if (data.some(({ status }) => status === null || status >= 500)) return 'unreachable'
  return data.every(isAccepted) ? 'done' : 'rejected'
}

function isAccepted({ status }: SentDelivery): boolean {
  return status !== null && status >= 200 && status < 300
}

/** The URL of `--to`. @throws UsageError for a route that is limited to some event types. */
export async function targetUrlOf(text: string): Promise<string> {
  const { parseForward } = await import('../../listener/forward-url.ts')
  const { match, url } = parseForward(text)
  if (match === undefined) return url
  throw new UsageError(`--to takes one target, without "${match}="`, { code: 'invalid_forward' })
}
