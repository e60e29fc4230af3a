/** The columns of Operations, and what stands in them. */
import { elapsedMs, isRunning, isSettled, type OperationRow } from '../state/operation-row.ts'
import { duration } from './clock.ts'
import type { Column } from './columns.ts'
import type { Tone } from './line.tsx'

export const operationColumns = [
  { name: 'id', head: 'ID', least: 10, most: 27, rank: 2, grows: 3 },
  { name: 'type', head: 'TYPE', least: 12, most: 20, rank: 3, grows: 1 },
  { name: 'subject', head: 'ON', least: 12, most: 26, rank: 6, grows: 4 },
  { name: 'status', head: 'STATUS', least: 11, most: 11, rank: 1, grows: 0 },
  { name: 'elapsed', head: 'TIME', least: 9, most: 10, rank: 4, grows: 0 },
  { name: 'outcome', head: 'RESULT', least: 12, most: 32, rank: 5, grows: 2, takesRest: true },
] as const satisfies readonly Column[]

const marks: Readonly<Record<string, string>> = { queued: '…', succeeded: '✓', failed: '✗' }
const tones: Readonly<Record<string, Tone>> = { queued: 'warn', succeeded: 'good', failed: 'bad' }

export function operationCell(
  row: OperationRow,
  name: (typeof operationColumns)[number]['name'],
  now: number,
): { text: string; tone: Tone } {
  switch (name) {
    case 'id':
      return { text: row.id, tone: 'plain' }
    case 'type':
      return { text: row.type ?? '-', tone: 'plain' }
    case 'subject':
      return { text: row.subject ?? '-', tone: 'plain' }
    case 'status':
      return { text: `${marks[row.status] ?? '?'} ${row.status}`, tone: tones[row.status] ?? 'plain' }
    case 'elapsed':
      return { text: elapsed(row, now), tone: isOverdue(row, now) ? 'warn' : 'plain' }
    case 'outcome':
      return row.problem === undefined
        ? { text: row.outcome ?? '', tone: row.status === 'failed' ? 'bad' : 'plain' }
        : { text: `not read: ${row.problem}`, tone: 'warn' }
  }
}

/** `12/120 s` while it runs, with `!` beyond the estimate, which is a floor; how long it took afterwards. */
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
