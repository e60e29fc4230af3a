/** Lines of a terminal for a listener's events, and for the list of the inbox: one per delivery. */
import type { ForwardOutcome, ListenerEvent, ReceivedDelivery } from '../../listener/events.ts'
import { belowDelivery, type DeliveryFacts, deliveryLine, type Piece } from '../../output/delivery-line.ts'
import type { Paint, Tone } from '../../output/palette.ts'
import { safeText } from '../../output/safe-text.ts'
import { formatClock, type Zone } from '../../output/time.ts'
import type { View } from '../../output/view.ts'
import { displayWidth, wrap } from '../../output/width.ts'
import type { DeliverySummary } from './_delivery-document.ts'

export interface TerminalLines {
  readonly paint: Paint
  /** Columns of the terminal, asked for each event: a window can change its size. */
  readonly width: () => number
  readonly zone: Zone
}

/** Events whose attempts are counted. Those that came least recently are forgotten. */
const MAX_COUNTED = 1000
/** Characters of what a target said: more never fits a line. */
const MAX_SAID = 1000

/** A function from each event to its lines: of a delivery when its outcome is known, none for some kinds. It counts how often an event came. */
export function createTerminalLines({
  paint,
  width,
  zone,
}: TerminalLines): (event: ListenerEvent) => string[] {
  const attempts = new Map<string, number>()
  const dropped = new Set<number>()

  const count = ({ eventId, duplicate }: ReceivedDelivery): number | undefined => {
    if (eventId === undefined) return undefined
    const before = attempts.get(eventId)
    attempts.delete(eventId)
    // Of an event that came before this listener did nobody counted.
    if (before === undefined && duplicate) return undefined
    attempts.set(eventId, (before ?? 0) + 1)
    for (const oldest of attempts.keys()) {
      if (attempts.size <= MAX_COUNTED) break
      attempts.delete(oldest)
    }
    return (before ?? 0) + 1
  }
  const painted = (lines: readonly (readonly Piece[])[]) =>
    lines.map((pieces) => pieces.map(({ text, tone }) => paint(tone, text)).join(''))
  /** A delivery, and below it what the target said or why it was refused. */
  const delivery = (facts: DeliveryFacts, at: number, said?: string) => {
    const lead = formatClock(at, zone)
    const line = deliveryLine(facts, lead, width())
    return painted([line, ...belowDelivery({ ...facts, said }, line, lead, width())])
  }
  /** Anything else that happened, wrapped beside its mark. */
  const notice = (at: number, tone: Tone, mark: string, sentence: string) => {
    const lead = `${formatClock(at, zone)}  `
    const indent = ' '.repeat(displayWidth(lead) + 2)
    const [first = '', ...more] = wrapped(safeText(sentence), width() - indent.length)
    return [`${paint('dim', lead)}${paint(tone, mark)} ${first}`, ...more.map((line) => indent + line)]
  }

  return (event) => {
    switch (event.kind) {
      case 'ready':
        return readyLines(event, width(), paint)
      case 'delivery':
      case 'forwarded':
        return []
      case 'duplicate':
        if (event.dropped) dropped.add(event.delivery.id)
        return []
      case 'waiting': {
        const { url, waitedMs, timeoutMs } = event
        const said = `no answer for ${waitedMs / 1000} s, ${(timeoutMs - waitedMs) / 1000} s are left (--forward-timeout): ${url}`
        return delivery(factsOf(event.delivery, 'pending', undefined), event.at, said)
      }
      case 'settled': {
        const { forward, answered, at } = event
        const wasDropped = dropped.delete(event.delivery.id)
        const attempt = event.delivery.filtered ? undefined : count(event.delivery)
        // What was not forwarded because another listener is at it was told as refused.
        const isTold = event.delivery.verified && forward === undefined && answered !== 200
        if (event.delivery.filtered || isTold) return []
        const facts = factsOf(event.delivery, forward ?? (wasDropped ? 'dropped' : 'none'), attempt)
        return delivery(facts, at, forward && saidBy(forward))
      }
      case 'refused': {
        const request = `${event.method} ${event.path}`.trim() || '(request)'
        return notice(event.at, 'bad', '✗', `${request}  ${event.status}: ${event.why}`)
      }
      case 'target-up':
        return notice(event.at, 'good', '✓', `${event.url} is up again`)
      case 'target-down':
        return notice(event.at, 'bad', '✗', `${event.url} cannot be reached: ${event.error}`)
      case 'error':
        return notice(
          event.at,
          'bad',
          '✗',
          `${event.fatal ? 'The listener lost its socket' : 'Error'}: ${event.error.message}`,
        )
      case 'closing': {
        const answers = event.forwards === 1 ? 'an answer' : `${event.forwards} answers`
        const sentence = `Waiting for ${answers} of your server, at most ${event.timeoutMs / 1000} s (--forward-timeout). Ctrl-C again ends it.`
        return wrapped(sentence, width())
      }
      case 'closed':
        return wrapped(event.forced ? 'Closed; what was under way will be sent again.' : 'Closed.', width())
    }
  }
}

function factsOf(
  delivery: ReceivedDelivery,
  forward: DeliveryFacts['forward'],
  attempt: number | undefined,
): DeliveryFacts {
  const { type, subject, eventId, verified, reason, detail, duplicate, shape } = delivery
  const notes = [
    ...(duplicate ? [attempt === undefined ? 'duplicate' : `attempt ${attempt}`] : []),
    ...(shape === 'unknown_type' ? ['unknown type'] : []),
    ...(shape === 'no_envelope' && verified ? ['no envelope'] : []),
  ]
  return { type, subject, eventId, verified, reason, detail, forward, repeated: duplicate, notes }
}

/** What a target that failed said, or why it said nothing. */
function saidBy({ status = 0, error, body }: ForwardOutcome): string | undefined {
  if (error !== undefined) return error
  return status >= 200 && status < 300 ? undefined : new TextDecoder().decode(body.subarray(0, MAX_SAID))
}

/** One line where it fits; else the targets, and whose deliveries they are, stand below. */
function readyLines(
  { url, environment, subscription, targets }: Extract<ListenerEvent, { kind: 'ready' }>,
  width: number,
  paint: Paint,
): string[] {
  const whose = safeText([environment, subscription].filter((part) => part !== undefined).join(', '))
  const parts = [...targets.map((target) => `→ ${safeText(target)}`), `(${whose})`]
  const ready = `${paint('good', 'Ready:')} ${url}`
  const fits = displayWidth(['Ready:', url, ...parts].join(' ')) <= width
  return fits ? [[ready, ...parts].join(' ')] : [ready, ...parts.map((part) => `       ${part}`)]
}

/** Lines of at most `width` columns: also a word that is longer is broken. */
function wrapped(text: string, width: number): string[] {
  const room = Math.max(1, width)
  return wrap(text, room)
    .split('\n')
    .flatMap((line) => {
      if (displayWidth(line) <= room) return [line]
      const characters = displayWidth(line) > line.length ? Math.max(1, Math.floor(room / 2)) : room
      return line.match(new RegExp(`.{1,${characters}}`, 'gsu')) ?? []
    })
}

/**
 * Deliveries of the inbox, below the day on which they came. `subjects` has the Connection, Account or Statement of each, by
 * its number. Every line ends with a newline.
 */
export function deliveryLines(
  deliveries: readonly DeliverySummary[],
  subjects: ReadonlyMap<number, string | undefined>,
  out: View,
): string {
  const environments = new Set(deliveries.map(({ environment }) => environment))
  const several = environments.size > 1
  const numberWidth = Math.max(...deliveries.map(({ id }) => String(id).length))
  let before = ''
  return deliveries
    .map((delivery) => {
      const [day = '', clock = ''] = out.time(delivery.received_at).split(' ')
      const zone = clock.endsWith('Z') ? ' UTC' : ''
      const where = several ? '' : `  ${delivery.environment}`
      const heading = day === before ? '' : `${out.bold(day)}${out.dim(`${zone}${where}`)}\n`
      before = day
      const lead = `${String(delivery.id).padStart(numberWidth)}  ${clock.slice(0, 8)}`
      const line = deliveryLine(factsOfListed(delivery, subjects.get(delivery.id), several), lead, out.width)
      return `${heading}${out.line(line)}\n`
    })
    .join('')
}

function factsOfListed(
  delivery: DeliverySummary,
  subject: string | undefined,
  namesEnvironment: boolean,
): DeliveryFacts {
  const { type, event_id, verified, reason, detail, duplicate, replay_of, environment } = delivery
  return {
    subject,
    verified,
    type: type ?? undefined,
    eventId: event_id ?? undefined,
    reason: reason ?? undefined,
    detail: detail ?? undefined,
    forward: forwardOf(delivery),
    repeated: duplicate || replay_of !== null,
    notes: [
      ...(duplicate ? ['duplicate'] : []),
      ...(replay_of === null ? [] : ['replay']),
      ...(namesEnvironment ? [environment] : []),
    ],
  }
}

function forwardOf({ forward, forward_to }: DeliverySummary): DeliveryFacts['forward'] {
  if (forward !== null) return { status: forward.status ?? undefined, durationMs: forward.duration_ms }
  return forward_to === null ? 'none' : 'interrupted'
}
