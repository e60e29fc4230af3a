/** Metrics of a customer's environment. */
import type { MetricsSummary, WebhookDeliveryMetrics } from '../../contract/metrics.ts'
import { type Engine, isoNow } from './engine.ts'
import { invalidFields } from './errors.ts'
import { day } from './schedule.ts'

/** `from` inclusive, `to` exclusive, both in the form the store has. */
export interface Window {
  readonly from: string
  readonly to: string
}

const defaultDays = 30
const maxDays = 366
/** Accounts not polled for so long are stale: assumed, the reference names the flag only. */
const staleAfter = 2 * day

/** `from` defaults to now minus 30 days, whatever `to` is. Throws `validation_failed` for a window that is too long or ends before it begins. */
export function windowOf(engine: Engine, from: string | undefined, to: string | undefined): Window {
  const now = engine.clock.now()
  const end = to === undefined ? now : Date.parse(to)
  const start = from === undefined ? now - defaultDays * day : Date.parse(from)
  if (start > end) refuse('ends before it begins')
  if (end - start > maxDays * day) refuse(`is longer than ${maxDays} days`)
  return { from: new Date(start).toISOString(), to: new Date(end).toISOString() }
}

function refuse(reason: string): never {
  throw invalidFields([{ param: 'from', message: `the window ${reason}`, code: 'invalid_window' }])
}

export function summaryOf(engine: Engine, tenant: number, { from, to }: Window): MetricsSummary {
  const { clients, connections, accounts, statements, transactions } = engine.store
  return {
    total_clients: clients.count(tenant),
    active_connections: connections.countActive(tenant),
    linked_accounts: accounts.countLinked(tenant),
    statements_in_period: statements.countCreated(tenant, from, to),
    transactions_in_period: transactions.countCreated(tenant, from, to),
    stale_accounts_count: accounts.countStale(tenant, isoNow(engine, -staleAfter)),
  }
}

const maxEvents = 10

/** Counts attempts: a retry is a delivery of its own (assumed). The p95 is the nearest rank. */
export function deliveriesOf(
  { store }: Engine,
  tenant: number,
  { from, to }: Window,
): WebhookDeliveryMetrics {
  const { total, succeeded } = store.deliveries.attemptsBetween(tenant, from, to)
  const rank = Math.ceil(total * 0.95)
  return {
    total_deliveries: total,
    success_count: succeeded,
    failure_count: total - succeeded,
    p95_latency_ms: rank === 0 ? 0 : store.deliveries.latencyAtRank(tenant, from, to, rank),
    failures_by_event: store.deliveries.failuresByEvent(tenant, from, to, maxEvents),
  }
}
