/** The columns of Deliveries, and what stands in them. */
import { type DeliveryRow, forwardStateOf, verdictOf } from '../state/delivery-row.ts'
import { clockTime, duration } from './clock.ts'
import type { Column } from './columns.ts'
import type { Tone } from './line.tsx'

export const deliveryColumns = [
  { name: 'time', head: 'TIME', least: 8, most: 8, rank: 1, grows: 0 },
  { name: 'type', head: 'TYPE', least: 11, most: 29, rank: 2, grows: 1 },
  { name: 'subject', head: 'SUBJECT', least: 20, most: 28, rank: 6, grows: 3 },
  { name: 'event', head: 'EVENT', least: 32, most: 40, rank: 7, grows: 5 },
  { name: 'verdict', head: 'VERDICT', least: 10, most: 24, rank: 3, grows: 2 },
  { name: 'forward', head: 'TARGET', least: 6, most: 24, rank: 4, grows: 4, takesRest: true },
  { name: 'latency', head: 'TOOK', least: 6, most: 6, rank: 5, grows: 0 },
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
