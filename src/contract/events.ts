/** The nine event types, the envelope they travel in, and the payload of each. */
import * as z from 'zod'
import { RealizedCapabilities } from './capabilities.ts'
import { ConnectionStatus } from './connections.ts'
import { ApiError } from './errors.ts'
import { AccountId, ClientId, ConnectionId, EventId, StatementId } from './ids.ts'
import {
  CalendarDate,
  Capability,
  CapabilityStatus,
  ConnectionSource,
  Currency,
  DateTime,
  Source,
} from './shapes.ts'

/** Eight real events plus `webhook.test`. There is no `connection.initiated` and no account-added event. */
export const eventTypes = [
  'connection.requires_action',
  'connection.active',
  'connection.failed',
  'connection.disconnected',
  'connection.capability_changed',
  'account.refresh.completed',
  'account.refresh.failed',
  'statement.available',
  'webhook.test',
] as const
export const EventType = z.enum(eventTypes)
export type EventType = z.infer<typeof EventType>

/** `client_id` is omitted, never null, when the owner cannot be resolved. */
const EventConnection = z.looseObject({
  id: ConnectionId,
  source: ConnectionSource,
  status: ConnectionStatus,
  client_id: ClientId.optional(),
})

const ConnectionEvent = z.looseObject({ connection: EventConnection })

/** Where the reason code stands is not shown; `data.connection.last_error` is assumed. */
const ConnectionProblem = z.looseObject({
  connection: EventConnection.extend({ last_error: ApiError.optional() }),
})

const CapabilityChanged = z.looseObject({
  connection: EventConnection,
  change: z.looseObject({
    /** The name of this field is not shown; `capability` is assumed. */
    capability: Capability,
    previous_status: CapabilityStatus,
    current_status: CapabilityStatus,
    /** 3 for a failure, 2 for a recovery, 1 for the sentinels unsupported, skipped and pending. */
    consecutive_observations: z.number().int().positive(),
    /** Only when `current_status` is `failed`. */
    last_error: ApiError.optional(),
  }),
})

/** Optional keys are omitted rather than null. `id`, `connection_id` and `client_id` are assumed. */
const RefreshCompleted = z.looseObject({
  account: z.looseObject({
    id: AccountId,
    connection_id: ConnectionId.optional(),
    client_id: ClientId.optional(),
    /** Above 0 means: read the account's transactions again. */
    new_transaction_count: z.number().int().nonnegative(),
    current_balance: z.looseObject({ amount: z.number(), iso_currency_code: Currency }).optional(),
    available_balance: z.looseObject({ amount: z.number(), iso_currency_code: Currency }).optional(),
    realized_capabilities: RealizedCapabilities.optional(),
  }),
})

/** Assumed whole: the reference does not show it. */
const RefreshFailed = z.looseObject({
  account: z.looseObject({
    id: AccountId,
    connection_id: ConnectionId.optional(),
    client_id: ClientId.optional(),
    error: ApiError,
  }),
})

/** Assumed whole: the reference does not show it. */
const StatementAvailable = z.looseObject({
  statement: z.looseObject({
    id: StatementId,
    account_id: AccountId,
    source: Source,
    statement_date: CalendarDate,
    client_id: ClientId.optional(),
  }),
})

/** Assumed: any object. */
const WebhookTest = z.looseObject({})

/** `data` of each event type. */
export const eventData = {
  'connection.requires_action': ConnectionProblem,
  'connection.active': ConnectionEvent,
  'connection.failed': ConnectionProblem,
  'connection.disconnected': ConnectionProblem,
  'connection.capability_changed': CapabilityChanged,
  'account.refresh.completed': RefreshCompleted,
  'account.refresh.failed': RefreshFailed,
  'statement.available': StatementAvailable,
  'webhook.test': WebhookTest,
} as const satisfies Record<EventType, z.ZodType>

/** The envelope of every delivery; `data` is opaque here and described by `eventData`. */
export const EventEnvelope = z.looseObject({
  /** Equals X-LS-Webhook-Event-Id. Dedupe on the exact string. */
  event_id: EventId,
  type: z.string(),
  /** Stable across retries; the tiebreaker when order matters. */
  created_at: DateTime,
  api_version: z.string(),
  livemode: z.boolean(),
  data: z.record(z.string(), z.unknown()),
})
export type EventEnvelope = z.infer<typeof EventEnvelope>

export type EventData<T extends EventType> = z.infer<(typeof eventData)[T]>

type EnvelopeField = 'event_id' | 'created_at' | 'api_version' | 'livemode'

/** A whole event of one type; of any type, told apart by `type`. Pick, because Omit loses the names of a loose object. */
export type WebhookEvent<T extends EventType = EventType> = {
  [K in T]: Pick<EventEnvelope, EnvelopeField> & { type: K; data: EventData<K> }
}[T]
