/** Reports events without a screen: as an object of `--json`, or as a line. */
import { type DeliveryFacts, type DeliveryRow, verdictOf } from './state/delivery-row.ts'
import type { TimedEvent } from './state/events.ts'
import type { State } from './state/model.ts'
import { elapsedMs, type OperationFacts, type OperationRow } from './state/operation-row.ts'

/** The reports of one step, as the objects of `--json`. */
export function reportsOf(before: State, event: TimedEvent, after: State): object[] {
  switch (event.kind) {
    case 'operations':
      return operations(before, event.operations, after)
    case 'polled':
    case 'refreshed':
      return operations(before, [event.operation], after)
    case 'deliveries':
    case 'reread':
      return deliveries(before, event.deliveries, after)
    case 'listening':
      return [{ kind: 'listener', ready: true, url: event.url, targets: event.targets }]
    case 'target':
      return [{ kind: 'target', url: event.url, up: event.up, error: event.up ? null : event.error }]
    default:
      return []
  }
}

/** A report as a line for people. */
export function lineOf(report: object, time: string): string {
  const fields = Object.entries(report).flatMap(([name, value]) => {
    if (value === null || value === undefined || value === '' || hidden.has(name)) return []
    return [typeof value === 'object' ? describe(value) : String(value)]
  })
  return [time, ...fields].join('  ')
}

const hidden: ReadonlySet<string> = new Set([
  'received_at',
  'started_at',
  'completed_at',
  'livemode',
  'doc_url',
])

function describe(value: object): string {
  return Object.values(value)
    .filter((part) => part !== null)
    .join(' ')
}

function operations(before: State, facts: readonly OperationFacts[], after: State): object[] {
  return facts.flatMap(({ id }) => {
    const row = find(after.operations.rows, id)
    const known = find(before.operations.rows, id)
    const same = known?.status === row?.status && known?.outcome === row?.outcome
    return row === undefined || (known !== undefined && same) ? [] : [operation(row, after.now)]
  })
}

function operation(row: OperationRow, now: number): object {
  return {
    kind: 'operation',
    id: row.id,
    type: row.type ?? null,
    subject: row.subject ?? null,
    status: row.status,
    started_at: new Date(row.startedAt).toISOString(),
    completed_at: row.completedAt === undefined ? null : new Date(row.completedAt).toISOString(),
    elapsed_ms: elapsedMs(row, now) ?? null,
    outcome: row.outcome ?? null,
    doc_url: row.docUrl ?? null,
  }
}

/** A delivery is reported once, when it is settled. */
function deliveries(before: State, facts: readonly DeliveryFacts[], after: State): object[] {
  return facts.flatMap(({ id }) => {
    const row = find(after.deliveries.rows, id)
    if (!row?.settled || find(before.deliveries.rows, id)?.settled) return []
    return [delivery(row)]
  })
}

function delivery(row: DeliveryRow): object {
  const { forward } = row
  return {
    kind: 'delivery',
    received_at: new Date(row.receivedAt).toISOString(),
    event_id: row.eventId ?? null,
    type: row.type ?? null,
    subject: row.subject ?? null,
    livemode: row.livemode ?? null,
    verdict: verdictOf(row),
    reason: row.reason ?? null,
    forward: forward && {
      url: forward.url,
      status: forward.status ?? null,
      duration_ms: Math.round(forward.durationMs),
      error: forward.error ?? null,
    },
  }
}

function find<R extends { readonly id: string | number }>(rows: readonly R[], id: R['id']): R | undefined {
  return rows.findLast((row) => row.id === id)
}
