/** The columns of operations, and the line of a delivery. */
import { type DeliveryFacts, deliveryLine, formatElapsed } from '../../output/delivery-line.ts'
import { type DeliveryRow, forwardStateOf } from '../state/delivery-row.ts'
import { statusLooks } from '../state/detail.ts'
import { elapsedMs, isRunning, isSettled, type OperationRow } from '../state/operation-row.ts'
import type { Line } from '../state/pieces.ts'
import type { Column } from './columns.ts'

const BAR = 16

export const operationColumns: readonly Column<OperationRow>[] = [
  { head: 'STATUS', min: 11, rank: 1, grows: 0, cell: status },
  { head: 'TYPE', min: 12, rank: 3, grows: 1, cut: 'middle', cell: ({ type }) => [{ text: type ?? '-' }] },
  {
    head: 'ON',
    min: 11,
    rank: 2,
    grows: 2,
    cut: 'middle',
    cell: ({ subject }) => [{ text: subject ?? '-' }],
  },
  { head: 'TIME', min: 9, rank: 4, grows: 0, cell: (row, { now }) => time(row, now) },
  { head: 'RESULT', min: 14, rank: 5, grows: 3, takesRest: true, cell: (row, { now }) => result(row, now) },
  {
    ...{ head: 'ID', min: 12, rank: 6, grows: 4, cut: 'middle', ifRoom: true },
    cell: ({ id }) => [{ text: id, tone: 'dim' }],
  },
]

function status(row: OperationRow): Line {
  const { mark = '?', tone = 'plain' } = statusLooks[row.status] ?? {}
  return [{ text: `${mark} ${row.status}`, tone }]
}

/** `12/120 s` while it runs, with `!` beyond the estimate, which is a floor; then its duration. */
function time(row: OperationRow, now: number): Line {
  return [{ text: elapsed(row, now), tone: isOverdue(row, now) ? 'warn' : 'dim' }]
}

function elapsed(row: OperationRow, now: number): string {
  const ms = elapsedMs(row, now)
  if (ms === undefined) return '-'
  if (isSettled(row)) return formatElapsed(ms)
  if (!isRunning(row)) return '-'
  if (row.estimatedSeconds === undefined)
    return ms < 600_000 ? `${Math.floor(ms / 1000)} s` : formatElapsed(ms)
  const mark = isOverdue(row, now) ? '!' : ''
  return ms < 600_000
    ? `${Math.floor(ms / 1000)}/${Math.round(row.estimatedSeconds)} s${mark}`
    : `${formatElapsed(ms)}${mark}`
}

function isOverdue(row: OperationRow, now: number): boolean {
  const { estimatedSeconds } = row
  if (!isRunning(row) || estimatedSeconds === undefined) return false
  return (elapsedMs(row, now) ?? 0) > estimatedSeconds * 1000
}

/** How it ended or, while it runs, a bar against its estimate. */
function result(row: OperationRow, now: number): Line {
  if (row.problem !== undefined) return [{ text: `not read: ${row.problem}`, tone: 'warn' }]
  const { estimatedSeconds } = row
  if (isRunning(row) && estimatedSeconds !== undefined) {
    const share = (elapsedMs(row, now) ?? 0) / Math.max(1, estimatedSeconds * 1000)
    const filled = Math.min(BAR, Math.floor(share * BAR))
    return [
      { text: '━'.repeat(filled), tone: share > 1 ? 'warn' : 'accent' },
      { text: '─'.repeat(BAR - filled), tone: 'dim' },
    ]
  }
  return [{ text: row.outcome ?? '', tone: row.status === 'failed' ? 'bad' : 'plain' }]
}

const formatted = new WeakMap<DeliveryRow, { readonly width: number; readonly line: Line }>()

/** The line of a delivery, as `webhooks listen` prints it. A row is formatted once for many frames. */
export function lineOfDelivery(row: DeliveryRow, utc: boolean, width: number): Line {
  const known = formatted.get(row)
  if (known?.width === width) return known.line
  const line = format(row, utc, width)
  formatted.set(row, { width, line })
  return line
}

function format(row: DeliveryRow, utc: boolean, width: number): Line {
  const { type, subject, eventId, verified, reason, attempt } = row
  const replayed = row.replayOf !== undefined
  const notes = replayed ? ['replay'] : attempt > 1 ? [`attempt ${attempt}`] : []
  const repeated = row.duplicate || replayed
  const facts = { type, subject, eventId, verified, reason, repeated, notes, forward: forwardOf(row) }
  return deliveryLine(facts, clockTime(row.receivedAt, utc), width)
}

function forwardOf(row: DeliveryRow): DeliveryFacts['forward'] {
  const { forward } = row
  if (forward === undefined) return forwardStateOf(row) === 'pending' ? 'pending' : 'none'
  return forward.error === 'interrupted' ? 'interrupted' : forward
}

/** `HH:MM:SS` of Unix milliseconds. */
function clockTime(at: number, utc: boolean): string {
  const date = new Date(at)
  const parts = utc
    ? [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()]
    : [date.getHours(), date.getMinutes(), date.getSeconds()]
  return parts.map((part) => String(part).padStart(2, '0')).join(':')
}
