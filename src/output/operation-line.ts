/**
 * Formats a change of an operation as one line of a terminal, in the columns of a delivery's line:
 *
 *     10:19:33  ✓ account.refresh     con_FDE_123             succeeded  12 s  op_1f6e8d7c9b0a4e3d2c1b0a9f
 */
import type { Piece } from './delivery-line.ts'
import { formatElapsed } from './delivery-line.ts'
import { safeText } from './safe-text.ts'
import { displayWidth, pad, truncate, truncateMiddle, wrap } from './width.ts'

/** Its texts may come from outside. */
export interface OperationFacts {
  readonly id: string
  readonly type: string
  readonly status: string
  /** The Connection or other resource that it is about. */
  readonly subject: string | undefined
  readonly tookMs: number | undefined
  readonly error: { readonly code: string; readonly message: string } | undefined
}

const TYPE_WIDTH = 18
const SUBJECT_WIDTH = 22
/** Of the longest status. */
const STATUS_WIDTH = 9
const MIN_SUBJECT = 8
const MIN_ID = 16
const gap = '  '

const marks: Readonly<Record<string, Piece>> = {
  queued: { text: '…', tone: 'warn' },
  succeeded: { text: '✓', tone: 'good' },
  failed: { text: '✗', tone: 'bad' },
}

/** The line of an operation, of at most `width` columns, and below it what went wrong. */
export function operationLines(facts: OperationFacts, lead: string, width: number): Piece[][] {
  const { id, type, status, subject, tookMs, error } = facts
  const mark = marks[status] ?? { text: '·', tone: 'plain' }
  const start = displayWidth(lead) + gap.length + 2
  const verdict = safeText(status)
  const room = width - start - gap.length - Math.max(STATUS_WIDTH, displayWidth(verdict))
  const typeWidth = Math.min(TYPE_WIDTH, Math.max(1, room))
  const subjectWidth = Math.min(SUBJECT_WIDTH, room - typeWidth - gap.length)
  const pieces: Piece[] = [
    { text: lead + gap, tone: 'dim' },
    mark,
    { text: ` ${pad(truncateMiddle(safeText(type), typeWidth), typeWidth)}${gap}`, tone: 'plain' },
  ]
  if (subjectWidth >= MIN_SUBJECT) {
    const shown = truncateMiddle(safeText(subject ?? ''), subjectWidth)
    pieces.push({ text: pad(shown, subjectWidth) + gap, tone: 'plain' })
  }
  pieces.push({ text: pad(verdict, STATUS_WIDTH), tone: mark.tone })
  const left = () => width - pieces.reduce((sum, { text }) => sum + displayWidth(text), 0)
  const took = pad(tookMs === undefined ? '' : formatElapsed(tookMs), 6, 'right')
  if (left() >= took.length + gap.length) pieces.push({ text: gap + took, tone: 'dim' })
  if (left() >= MIN_ID + gap.length) {
    pieces.push({ text: gap + truncateMiddle(safeText(id), left() - gap.length), tone: 'dim' })
  }
  const last = pieces.pop()
  if (last !== undefined) pieces.push({ ...last, text: last.text.trimEnd() })
  if (error === undefined) return [pieces]
  const indent = ' '.repeat(displayWidth(lead) + gap.length)
  const below = wrap(
    safeText(`${error.code}: ${error.message} (${id})`),
    Math.max(1, width - indent.length - 2),
  )
  return [
    pieces,
    ...below.split('\n').map((text): Piece[] => [
      { text: `${indent}│ `, tone: 'bad' },
      { text: truncate(text, Math.max(1, width - indent.length - 2)), tone: 'plain' },
    ]),
  ]
}
