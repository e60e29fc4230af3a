/** The columns of operations and deliveries, and what stands in them. */
import { type DeliveryRow, forwardStateOf, verdictOf } from '../state/delivery-row.ts'
import { lookOf, statusLooks } from '../state/detail.ts'
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
  { head: 'RESULT', min: 8, rank: 5, grows: 3, takesRest: true, cell: (row, { now }) => result(row, now) },
  { head: 'ID', min: 12, rank: 6, grows: 4, cut: 'middle', cell: ({ id }) => [{ text: id, tone: 'dim' }] },
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
  if (isSettled(row)) return duration(ms)
  if (!isRunning(row)) return '-'
  if (row.estimatedSeconds === undefined) return ms < 600_000 ? `${Math.floor(ms / 1000)} s` : duration(ms)
  const mark = isOverdue(row, now) ? '!' : ''
  return ms < 600_000
    ? `${Math.floor(ms / 1000)}/${Math.round(row.estimatedSeconds)} s${mark}`
    : `${duration(ms)}${mark}`
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

export const deliveryColumns: readonly Column<DeliveryRow>[] = [
  {
    ...{ head: 'TIME', min: 8, rank: 2, grows: 0 },
    cell: ({ receivedAt }, { utc }) => [{ text: clockTime(receivedAt, utc), tone: 'dim' }],
  },
  { head: '  EVENT', min: 16, rank: 1, grows: 1, cut: 'middle', cell: event },
  {
    ...{ head: 'SUBJECT', min: 11, rank: 4, grows: 3, cut: 'middle' },
    cell: ({ subject }) => [{ text: subject ?? '-' }],
  },
  { head: 'ANSWER', min: 15, rank: 3, grows: 2, takesRest: true, cell: answer },
]

function event(row: DeliveryRow): Line {
  const { mark, tone } = lookOf(row)
  return [{ text: `${mark} `, tone }, { text: row.type ?? '(no type)' }]
}

/** `→ 200   45 ms  attempt 2`, or why it was refused. */
function answer(row: DeliveryRow): Line {
  const { forward } = row
  if (verdictOf(row) === 'refused') {
    const why = `not verified: ${(row.reason ?? 'refused').replaceAll('_', ' ')}`
    if (forward?.status === undefined) return [{ text: why, tone: 'bad' }]
  }
  const again = verdictOf(row) === 'replay' ? '  replay' : row.attempt > 1 ? `  attempt ${row.attempt}` : ''
  switch (forwardStateOf(row)) {
    case 'none':
      return [{ text: `verified${again}`, tone: 'dim' }]
    case 'pending':
      return [{ text: `→ sent${again}`, tone: 'warn' }]
    case 'accepted':
    case 'failed': {
      const tone = forwardStateOf(row) === 'accepted' ? 'good' : 'bad'
      if (forward?.status === undefined) return [{ text: `→ ${forward?.error ?? 'no answer'}${again}`, tone }]
      return [
        { text: `→ ${forward.status}`, tone },
        { text: duration(forward.durationMs).padStart(8), tone: 'dim' },
        ...(again === '' ? [] : [{ text: again, tone: 'accent' as const }]),
      ]
    }
  }
}

/** `HH:MM:SS` of Unix milliseconds. */
function clockTime(at: number, utc: boolean): string {
  const date = new Date(at)
  const parts = utc
    ? [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()]
    : [date.getHours(), date.getMinutes(), date.getSeconds()]
  return parts.map((part) => String(part).padStart(2, '0')).join(':')
}

/** `12 ms`, `3.4 s`, `70 s`, `12 m`, `3 h`, `2 d`: short, for a column. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`
  if (ms < 600_000) return `${Math.floor(ms / 1000)} s`
  if (ms < 36_000_000) return `${Math.floor(ms / 60_000)} m`
  if (ms < 259_200_000) return `${Math.floor(ms / 3_600_000)} h`
  return `${Math.floor(ms / 86_400_000)} d`
}
