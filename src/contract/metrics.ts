import * as z from 'zod'
import { endpoint } from './endpoint.ts'
import { DateTime } from './shapes.ts'

const count = z.number().int().nonnegative()

export const MetricsSummary = z.looseObject({
  /** All-time. */
  total_clients: count,
  /** Currently active. */
  active_connections: count,
  /** On any active Connection. */
  linked_accounts: count,
  statements_in_period: count,
  transactions_in_period: count,
  stale_accounts_count: count,
})
export type MetricsSummary = z.infer<typeof MetricsSummary>

export const WebhookDeliveryMetrics = z.looseObject({
  total_deliveries: count,
  success_count: count,
  failure_count: count,
  /** Attempted delivery time minus event creation time, in milliseconds. */
  p95_latency_ms: count,
  /** The top 10 event types by failures. */
  failures_by_event: z.array(z.looseObject({ event_type: z.string(), count })),
})
export type WebhookDeliveryMetrics = z.infer<typeof WebhookDeliveryMetrics>

/** `from` inclusive (default: 30 days before now), `to` exclusive (default: now); at most 366 days apart. */
const window = { from: DateTime.optional(), to: DateTime.optional() } as const

export const metrics = {
  summary: endpoint({
    method: 'GET',
    path: '/metrics/summary',
    summary: 'Counts of Clients, Connections, accounts and data',
    query: window,
    success: { 200: MetricsSummary },
    scope: null,
    retry: 'safe',
    origin: 'documented',
    assumes: 'that any key may read metrics',
  }),
  webhookDelivery: endpoint({
    method: 'GET',
    path: '/metrics/webhook-delivery',
    summary: 'How webhook deliveries went',
    query: window,
    success: { 200: WebhookDeliveryMetrics },
    scope: null,
    retry: 'safe',
    origin: 'documented',
    assumes: 'that any key may read metrics',
  }),
}
