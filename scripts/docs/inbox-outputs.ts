/** Schemas of the deliveries that commands print under `--json`: from the inbox, as they arrive, or sent by this machine. */
import { z } from 'zod'
import type { DeliveryDocument, DeliverySummary } from '../../src/commands/webhooks/_delivery-document.ts'
import type { SentDeliveries } from '../../src/commands/webhooks/_sent-delivery.ts'
import type { ReplayedDeliveries } from '../../src/commands/webhooks/replay.ts'
import type { Reverified } from '../../src/commands/webhooks/reverify.ts'
import { DateTime } from '../../src/contract/shapes.ts'
import type { DeliveryStats } from '../../src/inbox/delivery-stats.ts'
import type { JsonOutput } from './json-output.ts'

const forward = z.strictObject({
  url: z.string(),
  status: z.number().int().nullable(),
  duration_ms: z.number(),
  error: z.string().nullable(),
})

const delivery = {
  id: z.number().int(),
  received_at: DateTime,
  environment: z.string(),
  subscription_id: z.string().nullable(),
  event_id: z.string().nullable(),
  type: z.string().nullable(),
  livemode: z.boolean().nullable(),
  verified: z.boolean(),
  reason: z.string().nullable(),
  detail: z.string().nullable(),
  duplicate: z.boolean(),
  replay_of: z.number().int().nullable(),
  forward_to: z.string().nullable(),
}

const headers = z.array(z.tuple([z.string(), z.string()]))

const summary: z.ZodType<DeliverySummary> = z.strictObject({ ...delivery, forward: forward.nullable() })

const document: z.ZodType<DeliveryDocument> = z.strictObject({
  ...delivery,
  method: z.string(),
  path: z.string(),
  headers,
  body: z.string().nullable(),
  body_base64: z.string(),
  event: z.unknown(),
  forwards: z.array(z.strictObject({ ...forward.shape, headers, body: z.string() })),
})

const sent = z.strictObject({
  data: z.array(
    z.strictObject({
      event_id: z.string().nullable(),
      type: z.string().nullable(),
      url: z.string(),
      status: z.number().int().nullable(),
      duration_ms: z.number(),
      error: z.string().nullable(),
      body: z.string(),
    }),
  ),
  accepted: z.number().int(),
}) satisfies z.ZodType<SentDeliveries>

const replayed: z.ZodType<ReplayedDeliveries> = z.strictObject({
  ...sent.shape,
  not_sent: z.array(
    z.strictObject({
      id: z.number().int(),
      event_id: z.string().nullable(),
      type: z.string().nullable(),
      reason: z.string().nullable(),
    }),
  ),
})

const reverified: z.ZodType<Reverified> = z.strictObject({
  data: z.array(
    z.strictObject({
      id: z.number().int(),
      received_at: DateTime,
      environment: z.string(),
      subscription_id: z.string().nullable(),
      event_id: z.string().nullable(),
      type: z.string().nullable(),
      verified: z.boolean(),
      finding: z.string(),
      message: z.string(),
    }),
  ),
  verified: z.number().int(),
})

const counts = {
  deliveries: z.number().int(),
  accepted: z.number().int(),
  failed: z.number().int(),
  not_verified: z.number().int(),
  not_forwarded: z.number().int(),
  p50_ms: z.number().int().nullable(),
  p95_ms: z.number().int().nullable(),
}

const stats: z.ZodType<DeliveryStats> = z.strictObject({
  since: DateTime,
  until: DateTime,
  by: z.enum(['minute', 'hour', 'day']),
  ...counts,
  success_rate: z.number().nullable(),
  data: z.array(z.strictObject({ start: DateTime, ...counts })),
})

const ready = z.strictObject({
  ready: z.literal(true),
  url: z.string(),
  environment: z.string(),
  subscription_id: z.string().nullable(),
  signing_secret: z.string().optional(),
})

const received = z.strictObject({
  received_at: DateTime,
  event_id: z.string().nullable(),
  type: z.string().nullable(),
  livemode: z.boolean().nullable(),
  verified: z.boolean(),
  reason: z.string().nullable(),
  duplicate: z.boolean(),
  forward: forward.nullable(),
  event: z.unknown(),
})

/** The lines of a command that listens. */
export const listening = [ready, received] as const

export const inboxOutputs: Readonly<Record<string, JsonOutput>> = {
  'webhooks events': { schema: z.strictObject({ data: z.array(summary), has_more: z.boolean() }) },
  'webhooks expect': { schema: document },
  'webhooks listen': { schema: z.union(listening), perLine: true },
  'webhooks replay': { schema: replayed },
  'webhooks reverify': { schema: reverified },
  'webhooks show': { schema: z.strictObject({ data: z.array(document) }) },
  'webhooks stats': { schema: stats },
  'webhooks trigger': { schema: sent },
  'webhooks verify': {
    schema: z.strictObject({
      verified: z.boolean(),
      finding: z.string(),
      message: z.string(),
      age_seconds: z.number().optional(),
      matched: z.enum(['signature', 'signature_prev']).optional(),
    }),
  },
}
