/** Declares every event type with its payload, its form of id and an example, and the envelope of a delivery. */
import * as z from 'zod'
import { RealizedCapabilities } from './capabilities.ts'
import { ConnectionStatus } from './connections.ts'
import { ApiError } from './errors.ts'
import { AccountId, ClientId, ConnectionId, EventId, StatementId, SubscriptionId } from './ids.ts'
import { apiVersion } from './service.ts'
import {
  CalendarDate,
  Capability,
  CapabilityStatus,
  ConnectionSource,
  Currency,
  DateTime,
  Source,
} from './shapes.ts'

/** `client_id` is omitted, never null, when the owner cannot be resolved. */
const EventConnection = z.looseObject({
  id: ConnectionId,
  source: ConnectionSource,
  status: ConnectionStatus,
  client_id: ClientId.optional(),
})

const ConnectionEvent = z.looseObject({ connection: EventConnection })

/** The reference does not show the field of the reason code; `data.connection.last_error` is assumed. */
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

/** Assumed whole: the reference does not show it. */
const WebhookTest = z.looseObject({
  subscription_id: SubscriptionId.optional(),
  message: z.string().optional(),
})

interface EventDeclaration<Data extends z.ZodType> {
  readonly data: Data
  /** The form of its event id: `evt_<id>`, or a bare UUID. */
  readonly id: 'evt' | 'uuid'
  /** `data` of an example, for a sender without a service. Its ids are those of the emulator's demo data. */
  readonly example: z.infer<Data>
}

function event<Data extends z.ZodType>(declaration: EventDeclaration<Data>): EventDeclaration<Data> {
  return declaration
}

const connection = { id: 'con_FDE_123', source: 'FDE', client_id: 'cli_demo' } as const
const account = { id: 'acc_FDE_123', connection_id: 'con_FDE_123', client_id: 'cli_demo' } as const
const credentialsInvalid = {
  code: 'credentials_invalid',
  message: 'The bank rejected the credentials.',
  is_user_actionable: true,
  trace_id: 'f3a1d6c2-5b0e-4c47-9d1a-8e2b7c9d0a14',
}
const institutionUnavailable = {
  code: 'institution_unavailable',
  message: 'The bank is unavailable.',
  is_user_actionable: false,
  trace_id: '0c9e4b7a-21d3-4f86-b5c8-6a7f1e3d9b52',
}

/** Eight real events plus `webhook.test`. There is no `connection.initiated` and no account-added event. */
export const events = {
  'connection.requires_action': event({
    data: ConnectionProblem,
    id: 'evt',
    example: { connection: { ...connection, status: 'requires_action', last_error: credentialsInvalid } },
  }),
  'connection.active': event({
    data: ConnectionEvent,
    id: 'evt',
    example: { connection: { ...connection, status: 'active' } },
  }),
  'connection.failed': event({
    data: ConnectionProblem,
    id: 'evt',
    example: { connection: { ...connection, status: 'failed', last_error: institutionUnavailable } },
  }),
  'connection.disconnected': event({
    data: ConnectionProblem,
    id: 'evt',
    example: { connection: { ...connection, status: 'disconnected' } },
  }),
  'connection.capability_changed': event({
    data: CapabilityChanged,
    id: 'evt',
    example: {
      connection: { ...connection, status: 'active' },
      change: {
        capability: 'transactions',
        previous_status: 'succeeded',
        current_status: 'failed',
        consecutive_observations: 3,
        last_error: institutionUnavailable,
      },
    },
  }),
  'account.refresh.completed': event({
    data: RefreshCompleted,
    id: 'uuid',
    example: {
      account: {
        ...account,
        new_transaction_count: 3,
        current_balance: { amount: 1204.55, iso_currency_code: 'USD' },
      },
    },
  }),
  'account.refresh.failed': event({
    data: RefreshFailed,
    id: 'uuid',
    example: { account: { ...account, error: institutionUnavailable } },
  }),
  'statement.available': event({
    data: StatementAvailable,
    id: 'uuid',
    example: {
      statement: {
        id: 'stmt_FDE_123',
        account_id: account.id,
        source: 'FDE',
        statement_date: '2026-05-31',
        client_id: 'cli_demo',
      },
    },
  }),
  'webhook.test': event({
    data: WebhookTest,
    id: 'evt',
    example: { message: 'This is a test delivery.' },
  }),
}

export type EventType = keyof typeof events
export const eventTypes = Object.keys(events) as readonly EventType[]
export const EventType = z.enum(eventTypes)

/** The envelope of every delivery; `data` is opaque here and described by `events`. */
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

export type EventData<T extends EventType> = z.infer<(typeof events)[T]['data']>

type EnvelopeField = 'event_id' | 'created_at' | 'api_version' | 'livemode'

/** A whole event of one type; of any type, a union discriminated by `type`. Pick, because Omit loses the names of a loose object. */
export type WebhookEvent<T extends EventType = EventType> = {
  [K in T]: Pick<EventEnvelope, EnvelopeField> & { type: K; data: EventData<K> }
}[T]

/** A whole example event. `uuid` becomes its id, in the form that its type has; `createdAt` is ISO 8601. */
export function exampleEvent(
  type: EventType,
  { uuid, createdAt, livemode }: { uuid: string; createdAt: string; livemode: boolean },
): WebhookEvent {
  return {
    event_id: eventIdOf(type, uuid),
    type,
    created_at: createdAt,
    api_version: apiVersion,
    livemode,
    data: structuredClone<unknown>(events[type].example),
  } as WebhookEvent
}

/** An event id in the form that the service gives events of this type; `evt_<id>` for an unknown one. */
export function eventIdOf(type: string, uuid: string): string {
  const form = Object.hasOwn(events, type) ? events[type as EventType].id : 'evt'
  return form === 'uuid' ? uuid : `evt_${uuid.replaceAll('-', '').slice(0, 24)}`
}
