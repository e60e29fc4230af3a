/**
 * Lists what is assumed where the reference is silent, beyond single operations (their `assumes`) and the status of a code
 * (`statusOrigin`): codes, fields of events, names, and rules of the service that the emulator plays.
 */
import type { KnownErrorCode } from './errors.ts'
import type { EventType } from './events.ts'

/** Codes that the reference does not list, and what it gives instead. */
export const assumedCodes = {
  live_key_not_allowed: 'only 403 for a live key at a sandbox helper',
  not_found: 'only 404 for what is not there or belongs to somebody else',
  length_required: 'only 411 for an empty POST without Content-Length: 0',
  payload_too_large: 'only the limit of 30 MB',
  request_in_progress: 'only 409 with Retry-After while the first request is still running',
  connection_deleted: 'no way back from a deleted Connection; 404 would deny what GET still shows',
} as const satisfies { readonly [Code in KnownErrorCode]?: string }

/** Fields below `data` of each event that the reference does not show. */
export const assumedEventFields = {
  'connection.requires_action': ['connection.last_error'],
  'connection.failed': ['connection.last_error'],
  'connection.disconnected': ['connection.last_error'],
  'connection.capability_changed': ['change.capability'],
  'account.refresh.completed': ['account.id', 'account.connection_id', 'account.client_id'],
  'account.refresh.failed': ['account.id', 'account.connection_id', 'account.client_id', 'account.error'],
  'statement.available': [
    'statement.id',
    'statement.account_id',
    'statement.source',
    'statement.statement_date',
    'statement.client_id',
  ],
} as const satisfies { readonly [Type in EventType]?: readonly string[] }

/** Values of an Operation's `type` beside the two that the reference gives as examples. */
export const assumedOperationTypes = ['statement.extraction', 'verification_report.generation'] as const

export interface Assumption {
  /** The part of the API that it is about. */
  readonly about: string
  readonly assumed: string
  /** What the reference does say, and why this follows best. */
  readonly because: string
}

export const assumptions: readonly Assumption[] = [
  {
    about: 'scopes',
    assumed: 'manage:webhooks includes read:webhooks and write:webhooks',
    because: 'the three are named, but not which call needs which',
  },
  {
    about: 'error objects',
    assumed: 'every type but auth_error; category is the type in capitals',
    because: 'auth_error and AUTH_ERROR are the only values shown',
  },
  {
    about: 'error objects',
    assumed: 'the code internal_error for a 5xx; id, code and message in accounts[] of a failed refresh',
    because: 'no code is listed for a 5xx, and no fields of accounts[]',
  },
  {
    about: 'error objects',
    assumed:
      'trace_id in an operation, a last_error or an event is that of the request or the job that met it',
    because: 'the field is listed for every error object, and said to match X-LS-Trace-Id',
  },
  {
    about: 'fields',
    assumed: 'one in a table of fields that is not called "or null" is absent when there is nothing',
    because: 'the tables say so where null occurs',
  },
  {
    about: 'fields',
    assumed:
      'email, name and external_id of a Client that were not given, and a denial code where nothing was denied, are null',
    because: 'neither is in a table of fields; the status beside the denial code is null when there is none',
  },
  {
    about: 'statement extraction',
    assumed:
      'file_name and line_items in its result, and where there are any period_start, statement_date, iso_currency_code and both balances',
    because: 'only kind: statement_extraction is given',
  },
  {
    about: 'verification report',
    assumed: 'kind verification_report, generated_at and accounts in its result',
    because: 'only that it is asynchronous is given',
  },
  {
    about: 'webhook.test',
    assumed: 'subscription_id and message in its data',
    because: 'its shape is not shown',
  },
  {
    about: 'Idempotency-Key',
    assumed:
      'a request that is not admitted leaves nothing to replay: no active key, over the rate limit (429), without a length (411), too large to read (413)',
    because:
      'keys are scoped to the API key, a replay itself counts against the rate limit, and there is no body to compare',
  },
  {
    about: 'refresh',
    assumed:
      'on AGGREGATOR_A and AGGREGATOR_B, too, it fails at once with the code of last_error while the user has to act or the bank is down; it uses budget',
    because: 'the immediate refusals shown are those of FDE; the bank would refuse again',
  },
  {
    about: 'own refresh',
    assumed:
      'it fails when the bank refuses it, when no account reports in time, or when every account fails; not when some do, nor when it stops at the desktop-app check',
    because: 'no cause is shown; a working FDE Connection stays active during the desktop-app question',
  },
  {
    about: 'Connection status',
    assumed: 'the prior states of the rows marked "see note": every state after the first signal',
    because: 'they are not shown',
  },
  {
    about: 'Connection status',
    assumed:
      'after a reauthorize session that fails on a locked account: connection.failed as its outcome, then requires_action again with its event',
    because: 'a session that fails gives failed, and a locked account reads requires_action',
  },
  {
    about: 'Connection status',
    assumed:
      'a locked account is active again as soon as the member is healthy, a failed one at the next daily refresh',
    because: 'the member status decides on GET; the daily refresh finds a failed Connection recovered',
  },
  {
    about: 'Connection status',
    assumed:
      'another reason for the same status is a change, and has its event; the same reason again is none',
    because: 'an event carries the reason, and tells of a change',
  },
  {
    about: 'metrics',
    assumed:
      'accounts are stale while their Connection needs the user, fails or is disconnected, or when they were not refreshed for two days',
    because: 'the flags of the staleness job are named, and no times',
  },
  {
    about: 'connect session',
    assumed: 'it lives 30 minutes',
    because: 'only that it ends at expires_at is given',
  },
  {
    about: 'deleted Connection',
    assumed: 'deleting one that is disconnected sends no event',
    because: 'its row of the table begins at active, and its access has ended and was told of',
  },
  {
    about: 'deleted Connection',
    assumed:
      'reauthorize answers 409, links made before stop working, and its member status is followed no more',
    because: 'no row of the table leads back from deleted',
  },
  {
    about: 'capabilities',
    assumed:
      'linking observes each capability twice (the callback of the source, the first read of the accounts), so it reads succeeded with the first connection.active and has no event of its own',
    because: 'succeeded needs two observations, and events are of active Connections',
  },
  {
    about: 'AI-assistant connector',
    assumed:
      'the Model Context Protocol over HTTP with the API key as bearer; metadata of the resource that names no authorization server; ten tools, whose requests count against the rate limit and need the scopes of the API',
    because: 'only its address is given, and that its sign-in flow is not shown',
  },
  {
    about: 'AI-assistant connector',
    assumed: 'firm_under_review while a live application filed at the same base is PENDING or NEEDS_INFO',
    because: 'the review is that of the firm, and an application names no customer',
  },
  {
    about: 'desktop app pairing',
    assumed:
      'a code has six digits and pairs the app that one FDE Connection needs; tries are those of a customer, whatever their outcome, over the last hour and the last 24 hours; one that is rate limited is none',
    because: 'only the four errors and the two limits per account are given',
  },
  {
    about: 'current_balance',
    assumed:
      'it leaves out pending transactions: the balance of an earlier day is today’s without what settled since',
    because:
      'the reference does not say whether it includes them, and available_balance is a field of its own',
  },
]
