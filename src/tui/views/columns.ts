/** The columns of both lists: which fit the width, and the text and tone of each cell. */
import { type DeliveryRow, forwardStateOf, verdictOf } from '../state/delivery-row.ts'
import { elapsedMs, isRunning, isSettled, type OperationRow } from '../state/operation-row.ts'
import type { Tone } from './line.tsx'

export interface Column {
  readonly name: string
  readonly head: string
  /** With less room than `min` a column is left out, the one with the highest `rank` first. */
  readonly min: number
  readonly max: number
  readonly rank: number
  /** The order in which columns grow from `min` to `max`. */
  readonly grows: number
  /** The remaining width goes to this column. */
  readonly takesRest?: boolean
}

export const operationColumns = [
  { name: 'id', head: 'ID', min: 10, max: 27, rank: 2, grows: 3 },
  { name: 'type', head: 'TYPE', min: 12, max: 20, rank: 3, grows: 1 },
  { name: 'subject', head: 'ON', min: 12, max: 26, rank: 6, grows: 4 },
  { name: 'status', head: 'STATUS', min: 11, max: 11, rank: 1, grows: 0 },
  { name: 'elapsed', head: 'TIME', min: 9, max: 10, rank: 4, grows: 0 },
  { name: 'outcome', head: 'RESULT', min: 12, max: 32, rank: 5, grows: 2, takesRest: true },
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

/** `12/120 s` while it runs, with `!` beyond the estimate, which is a floor; then its duration. */
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

export const deliveryColumns = [
  { name: 'time', head: 'TIME', min: 8, max: 8, rank: 1, grows: 0 },
  { name: 'type', head: 'TYPE', min: 11, max: 29, rank: 2, grows: 1 },
  { name: 'subject', head: 'SUBJECT', min: 20, max: 28, rank: 6, grows: 3 },
  { name: 'event', head: 'EVENT', min: 32, max: 40, rank: 7, grows: 5 },
  { name: 'verdict', head: 'VERDICT', min: 10, max: 24, rank: 3, grows: 2 },
  { name: 'forward', head: 'TARGET', min: 6, max: 24, rank: 4, grows: 4, takesRest: true },
  { name: 'latency', head: 'TOOK', min: 6, max: 6, rank: 5, grows: 0 },
] as const satisfies readonly Column[]

export function deliveryCell(
  row: DeliveryRow,
  name: (typeof deliveryColumns)[number]['name'],
  utc: boolean,
): { text: string; tone: Tone } {
  switch (name) {
    case 'time':
      return { text: clockTime(row.receivedAt, utc), tone: 'dim' }
    case 'type':
      return { text: row.type ?? '(no type)', tone: 'plain' }
    case 'subject':
      return { text: row.subject ?? '-', tone: 'plain' }
    case 'event':
      return { text: row.eventId ?? '-', tone: 'plain' }
    case 'verdict':
      return verdict(row)
    case 'forward':
      return forward(row)
    case 'latency':
      return { text: row.forward === undefined ? '-' : duration(row.forward.durationMs), tone: 'dim' }
  }
}

function verdict(row: DeliveryRow): { text: string; tone: Tone } {
  switch (verdictOf(row)) {
    case 'replay':
      return { text: '↻ replay', tone: 'plain' }
    case 'refused':
      return { text: `✗ ${row.reason ?? 'refused'}`, tone: 'bad' }
    case 'duplicate':
      return { text: '= duplicate', tone: 'warn' }
    case 'verified':
      return { text: '✓ verified', tone: 'good' }
  }
}

function forward(row: DeliveryRow): { text: string; tone: Tone } {
  switch (forwardStateOf(row)) {
    case 'none':
      return { text: '-', tone: 'dim' }
    case 'pending':
      return { text: '… sent', tone: 'warn' }
    case 'accepted':
      return { text: `✓ ${row.forward?.status}`, tone: 'good' }
    case 'failed':
      return { text: `✗ ${row.forward?.status ?? row.forward?.error ?? 'no answer'}`, tone: 'bad' }
  }
}

export type Placed<C extends Column = Column> = C & { readonly width: number }

/** The columns that fit, in their order, each with at least its minimum width. */
export function placeColumns<C extends Column>(columns: readonly C[], width: number): readonly Placed<C>[] {
  const chosen = [...columns].sort((a, b) => a.rank - b.rank)
  const needed = () => chosen.reduce((sum, { min }) => sum + min, 0) + chosen.length - 1
  while (chosen.length > 1 && needed() > width) chosen.pop()
  let spare = Math.max(0, width - needed())
  const widths = new Map<string, number>()
  chosen.sort((a, b) => a.grows - b.grows)
  for (const { name, min, max } of chosen) {
    const more = Math.min(spare, max - min)
    widths.set(name, Math.min(width, min + more))
    spare -= more
  }
  const rest = chosen.find(({ takesRest }) => takesRest)
  if (rest !== undefined) widths.set(rest.name, (widths.get(rest.name) ?? 0) + spare)
  return columns.flatMap((column) => {
    const columnWidth = widths.get(column.name)
    return columnWidth === undefined ? [] : [{ ...column, width: columnWidth }]
  })
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
function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`
  if (ms < 600_000) return `${Math.floor(ms / 1000)} s`
  if (ms < 36_000_000) return `${Math.floor(ms / 60_000)} m`
  if (ms < 259_200_000) return `${Math.floor(ms / 3_600_000)} h`
  return `${Math.floor(ms / 86_400_000)} d`
}
