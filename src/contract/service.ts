/** Constants of the service that belong to no single operation. */

/** Sent as `api_version` in every webhook envelope. */
export const apiVersion = '2026-05-22'

/** Last segment of every base address. */
export const basePath = '/v3'

/** Path of the AI-assistant connector, at the service root beside the base path. Only its address is documented. */
export const connectorPath = '/mcp'

/** Headers of the service, spelled as it does. */
export const headers = {
  traceId: 'X-LS-Trace-Id',
  idempotencyKey: 'Idempotency-Key',
  idempotentReplayed: 'Idempotent-Replayed',
  portalSignature: 'X-Portal-Bootstrap-Signature',
  portalUser: 'X-Portal-Idp-User-Id',
  webhookEventId: 'X-LS-Webhook-Event-Id',
  webhookEventType: 'X-LS-Webhook-Event-Type',
  webhookTimestamp: 'X-LS-Webhook-Timestamp',
  webhookSignature: 'X-LS-Webhook-Signature',
  webhookSignaturePrev: 'X-LS-Webhook-Signature-Prev',
} as const

/** In characters. */
export const maxIdempotencyKeyLength = 255

/** Items per page. A larger `limit` is capped, not rejected. */
export const pageSize = { default: 100, max: 500 } as const

/** Prefixes of the secrets of each environment. */
export const keyPrefixes = { sandbox: 'sk_test_', live: 'sk_live_' } as const
export const signingSecretPrefix = 'whsec_'
