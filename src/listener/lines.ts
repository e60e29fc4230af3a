/** Formats a listener's events as lines for people and as the objects of `--json`. */
import type { ForwardOutcome, ListenerEvent, ReceivedDelivery } from './events.ts'

export interface LineTools {
  /** Makes text from outside safe for a terminal. */
  safe: (text: string) => string
  /** `HH:MM:SS` of Unix milliseconds; by default in the machine's time zone. */
  time?: (at: number) => string
}

/** Of one text from outside in a line. */
const MAX_CHARACTERS = 300

/** The lines of an event: mostly one, none for some kinds, two when a failing target sent a body. */
export function textLines(event: ListenerEvent, { safe, time = localTime }: LineTools): string[] {
  const shown = (text: string) => safe(clip(text))
  const at = time(event.at)
  switch (event.kind) {
    case 'ready':
      return [readyLine(event, shown)]
    case 'delivery':
      return [`${at} --> ${describe(event.delivery, shown)}`]
    case 'duplicate':
      return event.dropped
        ? [`${at}     ${shown(event.delivery.eventId ?? '-')} was accepted before: not forwarded`]
        : []
    case 'waiting': {
      const { delivery, url, waitedMs, timeoutMs } = event
      const id = shown(delivery.eventId ?? '-')
      return [
        `${at} ... ${shown(url)} has not answered ${id} for ${waitedMs / 1000} s; ${(timeoutMs - waitedMs) / 1000} s are left (--forward-timeout)`,
      ]
    }
    case 'forwarded':
      return forwarded(event, at, shown)
    case 'settled':
      return []
    case 'refused':
      return [
        `${at} --- ${event.status} ${shown(`${event.method} ${event.path}`.trim() || '(request)')}: ${event.why}`,
      ]
    case 'target-up':
      return [`${at} --- ${shown(event.url)} is up again`]
    case 'target-down':
      return [`${at} --- ${shown(event.url)} cannot be reached: ${shown(event.error)}`]
    case 'error':
      return [
        `${at} --- ${event.fatal ? 'The listener lost its socket' : 'Error'}: ${shown(event.error.message)}`,
      ]
    case 'closing': {
      const answers = event.forwards === 1 ? 'an answer' : `${event.forwards} answers`
      return [
        `Waiting for ${answers} of your server, at most ${event.timeoutMs / 1000} s (--forward-timeout). Ctrl-C again ends it.`,
      ]
    }
    case 'closed':
      return [event.forced ? 'Closed; what was under way will be sent again.' : 'Closed.']
  }
}

/** One object for the ready line and one per delivery, once it is settled; undefined for every other event. */
export function jsonObject(event: ListenerEvent): object | undefined {
  if (event.kind === 'ready') {
    const { url, environment, subscription } = event
    return { ready: true, url, environment, subscription_id: subscription ?? null }
  }
  if (event.kind !== 'settled' || event.delivery.filtered) return undefined
  const { delivery, forward } = event
  return {
    received_at: new Date(delivery.receivedAt).toISOString(),
    event_id: delivery.eventId ?? null,
    type: delivery.type ?? null,
    livemode: delivery.livemode ?? null,
    verified: delivery.verified,
    reason: delivery.reason ?? null,
    duplicate: delivery.duplicate,
    forward: forward === undefined ? null : forwardObject(forward),
    event: delivery.event ?? null,
  }
}

function forwardObject({ url, status, durationMs, error }: ForwardOutcome): object {
  return { url, status: status ?? null, duration_ms: Math.round(durationMs), error: error ?? null }
}

function readyLine(
  { url, environment, subscription, targets }: Extract<ListenerEvent, { kind: 'ready' }>,
  shown: (text: string) => string,
): string {
  const whose = [environment, ...(subscription === undefined ? [] : [subscription])].map(shown).join(', ')
  return ['Ready:', url, ...targets.map((target) => `-> ${shown(target)}`), `(${whose})`].join(' ')
}

function describe(delivery: ReceivedDelivery, shown: (text: string) => string): string {
  const words = [delivery.type ?? '(no type)', delivery.eventId ?? '(no event id)', delivery.subject]
  return [...words.filter((word) => word !== undefined).map(shown), verdict(delivery, shown)].join('  ')
}

function verdict(delivery: ReceivedDelivery, shown: (text: string) => string): string {
  const { verified, duplicate, shape, reason, detail } = delivery
  if (!verified) return `not verified (${reason}): ${shown(detail ?? '')}`
  const marks = [
    'verified',
    ...(duplicate ? ['duplicate'] : []),
    ...(shape === 'unknown_type' ? ['unknown type'] : []),
    ...(shape === 'no_envelope' ? ['no event envelope'] : []),
  ]
  return marks.join(', ')
}

function forwarded(
  event: Extract<ListenerEvent, { kind: 'forwarded' }>,
  at: string,
  shown: (text: string) => string,
): string[] {
  const { forward, delivery, answered } = event
  const id = shown(delivery.eventId ?? '-')
  const ms = `${Math.round(forward.durationMs)}ms`
  const line = `${at} <-- ${forward.status ?? answered} ${forward.method} ${shown(forward.url)} ${id} ${ms}`
  if (forward.error !== undefined) return [`${line}  ${shown(forward.error)}`]
  const failed = (forward.status ?? 0) >= 300
  const excerpt = failed
    ? clip(new TextDecoder().decode(forward.body.subarray(0, MAX_CHARACTERS)).trim())
    : ''
  return excerpt === '' ? [line] : [line, `             ${shown(excerpt)}`]
}

function clip(text: string): string {
  return text.length <= MAX_CHARACTERS ? text : `${text.slice(0, MAX_CHARACTERS)}…`
}

function localTime(at: number): string {
  const date = new Date(at)
  const parts = [date.getHours(), date.getMinutes(), date.getSeconds()]
  return parts.map((part) => String(part).padStart(2, '0')).join(':')
}
