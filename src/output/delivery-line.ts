/**
 * Formats a delivery as one line of a terminal, for the listener, the inbox and the TUI alike:
 *
 *     10:19:33  ✓ account.refresh.completed   acc_FDE_12303           → 200   45 ms
 *     10:19:43  ↻ connection.disconnected     con_AGGREGATOR_A_10017  → 200    5 ms  attempt 2
 *     10:19:51  ✗ connection.active           not verified: missing header
 *
 * The arrows of lines of the same width stand below each other. Without room, first the event id goes, then how long it
 * took, then notes; ids are cut in the middle, then the type, and last of all the verdict.
 */
import type { Tone } from './palette.ts'
import { safeText } from './safe-text.ts'
import { displayWidth, pad, truncate, truncateMiddle, wrap } from './width.ts'

/** A part of a line: text that is safe for a terminal, and its meaning. */
export interface Piece {
  readonly text: string
  readonly tone: Exclude<Tone, 'bold'>
}

/** Its texts may come from outside. */
export interface DeliveryFacts {
  readonly type: string | undefined
  /** The id of the Connection, Account or Statement of the event. */
  readonly subject: string | undefined
  readonly eventId?: string | undefined
  readonly verified: boolean
  /** Why it was refused: a code, and a sentence. */
  readonly reason?: string | undefined
  readonly detail?: string | undefined
  /** `dropped`: a repeat that was not forwarded. `interrupted`: its listener ended before there was an answer. */
  readonly forward: ForwardFacts | 'none' | 'pending' | 'dropped' | 'interrupted'
  /** Whether its event came before, or was sent again from here. */
  readonly repeated?: boolean | undefined
  /** Few words each: `attempt 2`, `replay`. */
  readonly notes?: readonly string[] | undefined
}

export interface ForwardFacts {
  /** Undefined when there was no answer. */
  readonly status: number | undefined
  readonly durationMs: number
}

/** Columns for a type: all but the longest of the API fit. */
const TYPE_WIDTH = 26
const gap = '  '
/** For type and subject together. */
const subjects = { whole: TYPE_WIDTH + 2 + 22, generous: TYPE_WIDTH + 2 + 26 } as const
const STATUS_WIDTH = 5
const NOTE_WIDTH = 11
const DURATION_WIDTH = 7
const MIN_TYPE = 12
const MIN_SUBJECT = 8
const MIN_EVENT_ID = 16

/**
 * The line of a delivery, of at most `width` columns. It begins with `lead`, such as the time: the same number of columns
 * in every line.
 */
export function deliveryLine(facts: DeliveryFacts, lead: string, width: number): Piece[] {
  const { mark, tone } = markOf(facts)
  const start: Piece[] = [
    ...(lead === '' ? [] : [{ text: `${lead}${gap}`, tone: 'dim' as const }]),
    { text: mark, tone },
    { text: ' ', tone: 'plain' },
  ]
  const room = width - widthOf(start)
  const type = safeText(facts.type ?? '(no type)')
  if (!facts.verified && typeof facts.forward === 'string') {
    const typeRoom = Math.max(TYPE_WIDTH, Math.min(displayWidth(type), room - gap.length - 40))
    return trimmed([...start, ...refusal(facts, type, typeRoom, room)], width)
  }
  const verdict = verdictOf(facts.forward)
  const verdictWidth = Math.max(STATUS_WIDTH, displayWidth(verdict.text))
  const named = names(type, facts.subject, Math.min(namesWidth(room), room - gap.length - verdictWidth))
  const before = [...start, ...named, { text: gap, tone: 'plain' as const }, verdict]
  return trimmed(
    [...before, ...tail(facts, width - widthOf(before), STATUS_WIDTH - verdict.text.length)],
    width,
  )
}

/**
 * What stands below the line of a delivery that failed: why it was refused, where the line has no room for it, or the
 * beginning of what the target said.
 */
export function belowDelivery(
  { verified, detail, said }: Pick<DeliveryFacts, 'verified' | 'detail'> & { said?: string | undefined },
  line: readonly Piece[],
  lead: string,
  width: number,
): Piece[][] {
  const indent = ' '.repeat(displayWidth(lead) + (lead === '' ? 0 : gap.length))
  const room = Math.max(1, width - indent.length - 2)
  const why = safeText((verified ? said : detail) ?? '')
    .replaceAll(/[⏎⇥ ]+/g, ' ')
    .trim()
  if (why === '' || line.some(({ text }) => text.endsWith(why))) return []
  const lines = verified ? [why] : wrap(why, room).split('\n')
  return lines.map((text) => [
    { text: `${indent}│ `, tone: 'bad' },
    { text: truncate(text, room), tone: 'plain' },
  ])
}

/** `45 ms`, `3.4 s`, `70 s`, `12 m`: at most six columns. */
export function formatElapsed(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)} s`
  if (ms < 999_500) return `${Math.round(ms / 1000)} s`
  return ms < 59_970_000 ? `${Math.round(ms / 60_000)} m` : `${Math.round(ms / 3_600_000)} h`
}

function markOf({ verified, forward, repeated }: DeliveryFacts): { mark: string; tone: Piece['tone'] } {
  if (!verified || (typeof forward === 'object' && !isAccepted(forward))) return { mark: '✗', tone: 'bad' }
  if (forward === 'pending' || forward === 'interrupted') return { mark: '…', tone: 'warn' }
  return repeated ? { mark: '↻', tone: 'warn' } : { mark: '✓', tone: 'good' }
}

function isAccepted({ status = 0 }: ForwardFacts): boolean {
  return status >= 200 && status < 300
}

function verdictOf(forward: DeliveryFacts['forward']): Piece {
  switch (forward) {
    case 'none':
      return { text: 'verified', tone: 'dim' }
    case 'dropped':
      return { text: 'accepted before', tone: 'dim' }
    case 'pending':
      return { text: '→ …', tone: 'warn' }
    case 'interrupted':
      return { text: '→ interrupted', tone: 'warn' }
    default:
      return { text: `→ ${forward.status ?? 'no answer'}`, tone: isAccepted(forward) ? 'good' : 'bad' }
  }
}

/** For type and subject: enough for whole ids, then what is left when notes, and then the duration, have their room. */
function namesWidth(room: number): number {
  const left = room - gap.length - STATUS_WIDTH
  if (left <= subjects.whole + NOTE_WIDTH) return Math.min(left, subjects.whole)
  return Math.min(subjects.generous, left - NOTE_WIDTH)
}

/** The type and the subject in exactly `width` columns. */
function names(type: string, subject: string | undefined, width: number): Piece[] {
  const id = subject === undefined ? '' : safeText(subject)
  const typeRoom = width - gap.length - Math.min(MIN_SUBJECT, displayWidth(id))
  if (id === '' || typeRoom < MIN_TYPE) {
    return [{ text: pad(truncateMiddle(type, width), width), tone: 'plain' }]
  }
  const typeWidth = Math.min(typeRoom, Math.max(TYPE_WIDTH, displayWidth(type)))
  const left = width - typeWidth - gap.length
  return [
    { text: pad(truncateMiddle(type, typeWidth), typeWidth) + gap, tone: 'plain' },
    { text: pad(truncateMiddle(id, left), left), tone: 'plain' },
  ]
}

/** The type, and why it was refused: as a sentence where it fits, else in two or three words. */
function refusal({ reason, detail }: DeliveryFacts, type: string, typeRoom: number, room: number): Piece[] {
  const short = safeText(reason ?? 'not verified').replaceAll('_', ' ')
  const sentence = safeText(detail ?? '')
  const typeWidth = Math.min(typeRoom, Math.max(MIN_TYPE, room - gap.length - displayWidth(short)))
  const left = room - typeWidth - gap.length
  const texts = [...(sentence === '' ? [] : [`not verified: ${sentence}`]), `not verified: ${short}`, short]
  const text = texts.find((each) => displayWidth(each) <= left) ?? truncate(short, left)
  return [
    { text: pad(truncateMiddle(type, typeWidth), typeWidth) + gap, tone: 'plain' },
    { text, tone: 'bad' },
  ]
}

/** What follows the verdict, in `room` columns: how long it took, notes, the event id. A short verdict is `short` columns short. */
function tail(
  { forward, verified, reason = '', notes = [], eventId }: DeliveryFacts,
  room: number,
  short: number,
): Piece[] {
  const whyNot = verified ? [] : [`not verified: ${reason.replaceAll('_', ' ')}`]
  const note = [...whyNot, ...notes].map(safeText).join(', ')
  const noteWidth = note === '' ? 0 : displayWidth(note) + gap.length
  const pieces: Piece[] = [{ text: ' '.repeat(Math.max(0, short)), tone: 'plain' }]
  const left = () => room - widthOf(pieces)
  if (typeof forward === 'object' && left() >= DURATION_WIDTH + noteWidth) {
    const took = pad(formatElapsed(forward.durationMs), DURATION_WIDTH - 1, 'right')
    pieces.push({ text: ` ${took}`, tone: 'dim' })
  }
  if (note !== '' && left() >= Math.min(noteWidth, NOTE_WIDTH)) {
    pieces.push({ text: gap + truncate(note, left() - gap.length), tone: 'warn' })
  }
  // Event ids stand below each other, whatever the verdict and the notes.
  const start = short + DURATION_WIDTH + NOTE_WIDTH
  const blank = ' '.repeat(Math.max(0, start - widthOf(pieces)) + gap.length)
  const idRoom = left() - blank.length
  if (eventId !== undefined && idRoom >= MIN_EVENT_ID) {
    pieces.push({ text: blank + truncateMiddle(safeText(eventId), idRoom), tone: 'dim' })
  }
  return pieces
}

function widthOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { text }) => sum + displayWidth(text), 0)
}

/** The pieces without blanks at the end, cut to `width`. */
function trimmed(pieces: readonly Piece[], width: number): Piece[] {
  const kept: Piece[] = []
  let left = width
  for (const { text, tone } of pieces) {
    const shown = truncate(text, left)
    if (shown === '') continue
    kept.push({ text: shown, tone })
    left -= displayWidth(shown)
  }
  while (kept.at(-1)?.text.trim() === '') kept.pop()
  const last = kept.pop()
  return last === undefined ? [] : [...kept, { ...last, text: last.text.trimEnd() }]
}
