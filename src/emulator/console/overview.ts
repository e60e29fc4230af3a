/** Reads from the store what the console shows. */
import { errorCodeOf, institutionOf } from '../engine/connections.ts'
import { type Engine, isoNow } from '../engine/engine.ts'
import type { LoggedRequest, RequestLog } from '../log/request-log.ts'
import type { Environment } from '../store/customers.ts'
import type { SentEvent } from '../store/deliveries.ts'
import type { SentRow } from '../store/sent.ts'
import type { Filters } from './filters.ts'
import { type Offer, offersFor } from './triggers.ts'

/** The newest of each list; Connections of each customer. */
const MAX_ROWS = 50
const MAX_CONNECTIONS = 20
const MAX_RECEIVERS = 5

export interface ConsoleConnection {
  readonly seq: number
  readonly environment: Environment
  readonly id: string
  readonly client_id: string
  readonly institution: string
  readonly status: string
  readonly error_code: string | undefined
  readonly offers: readonly Offer[]
}

export interface Overview {
  readonly filters: Filters
  readonly clock: {
    readonly now: string
    /** Whether time passes by itself. */
    readonly runs: boolean
    /** Milliseconds ahead of the wall clock. */
    readonly ahead: number
    /** When the next job is due, on this clock. */
    readonly next: string | undefined
    readonly faults: number
  }
  readonly bases: readonly { readonly environment: string; readonly url: string; readonly key: string }[]
  readonly connections: readonly {
    readonly environment: Environment
    readonly rows: readonly ConsoleConnection[]
    readonly total: number
  }[]
  readonly requests: readonly LoggedRequest[]
  readonly deliveries: readonly SentEvent[]
  readonly receivers: readonly { readonly seq: number; readonly url: string; readonly environment: string }[]
}

/** A delivery with its attempts, the latest first. */
export interface DeliveryDetail extends SentEvent {
  readonly sent: readonly SentRow[]
  /** When it is tried again, on the emulator's clock. */
  readonly next: string | undefined
}

export interface Sources {
  readonly engine: Engine
  readonly log: RequestLog
  readonly clock: () => Overview['clock']
  readonly bases: () => Overview['bases']
}

export function overviewOf({ engine, log, clock, bases }: Sources, filters: Filters): Overview {
  const { store } = engine
  return {
    filters,
    clock: clock(),
    bases: bases(),
    connections: (['sandbox', 'live'] as const).map((environment) => {
      const customers = store.tenants.all().filter((tenant) => tenant.environment === environment)
      return {
        environment,
        rows: customers.flatMap(({ seq }) => connectionsOf(engine, environment, seq, filters.find)),
        total: customers.reduce((sum, { seq }) => sum + store.connections.count(seq), 0),
      }
    }),
    requests: log.list({ limit: MAX_ROWS, failed: filters.failedOnly, bodies: true }).data.toReversed(),
    deliveries: deliveriesOf(engine, filters),
    receivers: store.subscriptions.latest(MAX_RECEIVERS),
  }
}

/** What went to nobody is shown when it is asked for, and while there is nothing else. */
function deliveriesOf(
  { store: { deliveries } }: Engine,
  { deliveries: wanted }: Filters,
): readonly SentEvent[] {
  const sent = wanted === 'unsubscribed' ? [] : deliveries.latest(MAX_ROWS, wanted === 'failed')
  return wanted === 'failed' || sent.length > 0 ? sent : deliveries.latestUnheard(MAX_ROWS)
}

/** Those of one customer. */
function connectionsOf(
  engine: Engine,
  environment: Environment,
  tenant: number,
  find: string,
): ConsoleConnection[] {
  return engine.store.connections.latest(tenant, find, MAX_CONNECTIONS).map((row) => ({
    seq: row.seq,
    environment,
    id: row.reached_active === 1 ? row.id : (row.placeholder_id ?? row.id),
    client_id: row.client_id,
    institution: institutionOf(row).name,
    status: row.status,
    error_code: errorCodeOf(row),
    offers: row.deleted === 1 ? [] : offersFor(row),
  }))
}

export function deliveryOf({ engine }: Pick<Sources, 'engine'>, seq: number): DeliveryDetail | undefined {
  const { store } = engine
  const found = store.deliveries.found(seq)
  const due = store.jobs.dueAt(JSON.stringify({ kind: 'deliver', delivery: seq }))
  return (
    found && {
      ...found,
      sent: store.sent.of(seq),
      next: due === undefined ? undefined : new Date(due).toISOString(),
    }
  )
}

/** An event that went to nobody. */
export function unsubscribedEvent(
  { engine }: Pick<Sources, 'engine'>,
  seq: number,
): DeliveryDetail | undefined {
  const found = engine.store.deliveries.foundEvent(seq)
  return found && { ...found, sent: [], next: undefined }
}

export function clockOf(
  engine: Engine,
  { runs, ahead, faults }: Pick<Overview['clock'], 'runs' | 'ahead' | 'faults'>,
): Overview['clock'] {
  const next = engine.store.jobs.nextDueAt()
  return {
    now: isoNow(engine),
    runs,
    ahead,
    next: next === undefined ? undefined : new Date(next).toISOString(),
    faults,
  }
}
