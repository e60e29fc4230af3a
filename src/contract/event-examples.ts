/** An example of every event, for a sender that has no service behind it. The ids are those of the emulator's demo data. */
import type { EventData, EventType, WebhookEvent } from './events.ts'
import { apiVersion } from './service.ts'

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

const data: { readonly [T in EventType]: EventData<T> } = {
  'connection.requires_action': {
    connection: { ...connection, status: 'requires_action', last_error: credentialsInvalid },
  },
  'connection.active': { connection: { ...connection, status: 'active' } },
  'connection.failed': {
    connection: { ...connection, status: 'failed', last_error: institutionUnavailable },
  },
  'connection.disconnected': { connection: { ...connection, status: 'disconnected' } },
  'connection.capability_changed': {
    connection: { ...connection, status: 'active' },
    change: {
      capability: 'transactions',
      previous_status: 'succeeded',
      current_status: 'failed',
      consecutive_observations: 3,
      last_error: institutionUnavailable,
    },
  },
  'account.refresh.completed': {
    account: {
      ...account,
      new_transaction_count: 3,
      current_balance: { amount: 1204.55, iso_currency_code: 'USD' },
    },
  },
  'account.refresh.failed': { account: { ...account, error: institutionUnavailable } },
  'statement.available': {
    statement: {
      id: 'stmt_FDE_123',
      account_id: account.id,
      source: 'FDE',
      statement_date: '2026-05-31',
      client_id: 'cli_demo',
    },
  },
  'webhook.test': { message: 'This is a test delivery.' },
}

/** These go by a bare UUID, the others by `evt_<id>`. */
const bareUuid: ReadonlySet<EventType> = new Set([
  'account.refresh.completed',
  'account.refresh.failed',
  'statement.available',
])

/** A whole event. `uuid` becomes its id, in the form that its type has; `createdAt` is ISO 8601. */
export function exampleEvent(
  type: EventType,
  { uuid, createdAt, livemode }: { uuid: string; createdAt: string; livemode: boolean },
): WebhookEvent {
  return {
    event_id: exampleEventId(type, uuid),
    type,
    created_at: createdAt,
    api_version: apiVersion,
    livemode,
    data: structuredClone(data[type]),
  } as WebhookEvent
}

/** An event id in the form that the service gives events of this type. */
export function exampleEventId(type: string, uuid: string): string {
  return (bareUuid as ReadonlySet<string>).has(type) ? uuid : `evt_${uuid.replaceAll('-', '').slice(0, 24)}`
}
