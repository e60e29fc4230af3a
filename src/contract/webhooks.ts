import * as z from 'zod'
import { empty, endpoint } from './endpoint.ts'
import { EventType } from './events.ts'
import { EventId, SubscriptionId } from './ids.ts'
import { DateTime, page, paging } from './shapes.ts'

/** A webhook subscription. It stays `active` however badly delivery goes. */
export const Subscription = z.looseObject({
  id: SubscriptionId,
  url: z.string(),
  event_types: z.array(EventType),
  status: z.literal('active'),
  created_at: DateTime,
  /** Omitted, never null, when there is nothing to report. */
  last_success_at: DateTime.optional(),
  /** Newer than `last_success_at` means deliveries are failing now. Omitted when there was no failure. */
  last_failure_at: DateTime.optional(),
})
export type Subscription = z.infer<typeof Subscription>

/** A subscription with its signing secret, which is shown once. */
export const SubscriptionWithSecret = z.looseObject({
  ...Subscription.shape,
  signing_secret: z.string().startsWith('whsec_'),
})
export type SubscriptionWithSecret = z.infer<typeof SubscriptionWithSecret>

const subscription = { subscription_id: SubscriptionId } as const

export const webhooks = {
  create: endpoint({
    method: 'POST',
    path: '/webhooks/subscriptions',
    summary: 'Subscribe a URL to events',
    body: { url: z.string(), event_types: z.array(z.string()) },
    success: { 201: SubscriptionWithSecret },
    scope: 'write:webhooks',
    retry: 'if-refused',
    origin: 'documented',
    assumes: 'status 201, scope',
  }),
  list: endpoint({
    method: 'GET',
    path: '/webhooks/subscriptions',
    summary: 'List webhook subscriptions',
    query: paging,
    success: { 200: page(Subscription) },
    scope: 'read:webhooks',
    retry: 'safe',
    paged: true,
    origin: 'documented',
    assumes: 'scope',
  }),
  get: endpoint({
    method: 'GET',
    path: '/webhooks/subscriptions/{subscription_id}',
    summary: 'Show a webhook subscription',
    params: subscription,
    success: { 200: Subscription },
    scope: 'read:webhooks',
    retry: 'safe',
    origin: 'assumed',
    assumes: 'method, path, scope',
  }),
  update: endpoint({
    method: 'PATCH',
    path: '/webhooks/subscriptions/{subscription_id}',
    summary: "Change a webhook subscription's URL or event types",
    params: subscription,
    body: { url: z.string().optional(), event_types: z.array(z.string()).optional() },
    success: { 200: Subscription },
    scope: 'write:webhooks',
    retry: 'if-refused',
    origin: 'assumed',
    assumes: 'path, body fields, scope',
  }),
  delete: endpoint({
    method: 'DELETE',
    path: '/webhooks/subscriptions/{subscription_id}',
    summary: 'Remove a webhook subscription',
    params: subscription,
    success: { 204: empty },
    scope: 'write:webhooks',
    retry: 'safe',
    origin: 'assumed',
    assumes: 'that it exists; method, path, response, scope',
  }),
  rotateSecret: endpoint({
    method: 'POST',
    path: '/webhooks/subscriptions/{subscription_id}/rotate-secret',
    summary: 'Replace the signing secret; the old one stays valid 24 hours',
    params: subscription,
    success: { 200: SubscriptionWithSecret },
    scope: 'write:webhooks',
    retry: 'if-refused',
    origin: 'assumed',
    assumes: 'method, path, response shape, scope',
  }),
  test: endpoint({
    method: 'POST',
    path: '/webhooks/subscriptions/{subscription_id}/test',
    summary: 'Queue a signed webhook.test delivery',
    params: subscription,
    success: { 202: z.looseObject({ event_id: EventId }) },
    scope: 'write:webhooks',
    retry: 'if-refused',
    origin: 'assumed',
    assumes: 'path, scope',
  }),
}
