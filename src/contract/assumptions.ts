/**
 * Lists what is assumed where the reference is silent, beyond single operations (their `assumes`) and the status of a code
 * (`statusOrigin`): codes, shapes, fields of events, results of operations, and rules of the service that the emulator plays.
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
  'webhook.test': ['subscription_id', 'message'],
} as const satisfies { readonly [Type in EventType]?: readonly string[] }

/** Events whose payload is assumed whole. */
export const assumedPayloads = [
  'account.refresh.failed',
  'statement.available',
  'webhook.test',
] as const satisfies readonly EventType[]

/** Fields of requests and answers that the reference does not show. */
export interface AssumedShape {
  readonly operations: readonly string[]
  readonly part: 'query' | 'request' | 'answer'
  readonly fields: readonly string[]
  /** What the reference does give. */
  readonly given: string
}

const page = { part: 'query', fields: ['limit', 'cursor'] } as const

export const assumedShapes: readonly AssumedShape[] = [
  {
    operations: ['clients.create', 'clients.list'],
    part: 'answer',
    fields: ['email', 'name', 'external_id', 'created_at'],
    given: 'only what the creation takes',
  },
  { operations: ['institutions.search'], ...page, given: 'only q; every list has the envelope of a page' },
  {
    operations: ['connectSessions.page'],
    part: 'query',
    fields: ['token'],
    given: 'only that a query parameter carries the token',
  },
  {
    operations: ['statements.extract'],
    part: 'request',
    fields: ['file'],
    given: 'only that a PDF is uploaded',
  },
  {
    operations: ['webhooks.update'],
    part: 'request',
    fields: ['url', 'event_types'],
    given: 'only that there is a patch',
  },
  {
    operations: ['webhooks.rotateSecret'],
    part: 'answer',
    fields: ['signing_secret'],
    given: 'only that the old secret stays valid for 24 hours',
  },
  { operations: ['keys.create'], part: 'request', fields: ['scopes'], given: 'only the fields of a key' },
  {
    operations: ['keys.create'],
    part: 'answer',
    fields: ['secret'],
    given: 'only that the plaintext is returned, and once',
  },
  { operations: ['keys.list'], ...page, given: 'only that keys are listed' },
  {
    operations: ['redirectUrls.get'],
    part: 'answer',
    fields: ['environment', 'allowed_redirect_urls'],
    given: 'only the answer to the POST',
  },
  {
    operations: ['portal.createAccessRequest'],
    part: 'request',
    fields: [
      ...['idp_user_id', 'email', 'first_name', 'last_name', 'company_name', 'country', 'challenge_token'],
      ...['use_case', 'client_ip', 'legal_entity_name', 'business_website', 'data_protection_contact'],
      ...['expected_monthly_volume', 'go_live_target_date', 'production_use_case'],
    ],
    given: 'only that it is signed as a live request',
  },
  {
    operations: ['portal.createAccessRequest'],
    part: 'answer',
    fields: ['request_id', 'status', 'environment', 'created_at'],
    given: 'only that it is signed as a live request',
  },
  { operations: ['health.check'], part: 'answer', fields: ['status'], given: 'nothing' },
]

/** What an operation that is polled has: the `type` while it runs, the `result` when it has succeeded. */
export interface OperationResult {
  readonly startedBy: string
  /** Whether the reference gives the type. */
  readonly typeOrigin: 'documented' | 'assumed'
  readonly kind: string
  /** Whether the reference gives the kind. */
  readonly kindOrigin: 'documented' | 'assumed'
  /** Assumed fields of the result beside its kind; `?` where there may be nothing. */
  readonly fields: readonly string[]
}

export const operationResults = {
  'connection.initiate': {
    startedBy: 'connections.initiate',
    typeOrigin: 'documented',
    kind: 'connection',
    kindOrigin: 'assumed',
    fields: [],
  },
  'account.refresh': {
    startedBy: 'connections.refresh',
    typeOrigin: 'documented',
    kind: 'connection',
    kindOrigin: 'assumed',
    fields: ['connection'],
  },
  'statement.extraction': {
    startedBy: 'statements.extract',
    typeOrigin: 'assumed',
    kind: 'statement_extraction',
    kindOrigin: 'documented',
    fields: [
      'file_name',
      'period_start?',
      'statement_date?',
      'iso_currency_code?',
      'opening_balance?',
      'closing_balance?',
      'line_items',
      'line_items[].date',
      'line_items[].description',
      'line_items[].amount',
      'line_items[].iso_currency_code',
      'line_items[].balance',
    ],
  },
  'verification_report.generation': {
    startedBy: 'reports.generate',
    typeOrigin: 'assumed',
    kind: 'verification_report',
    kindOrigin: 'assumed',
    fields: [
      'generated_at',
      'accounts',
      'accounts[].id',
      'accounts[].name',
      'accounts[].type',
      'accounts[].mask',
      'accounts[].iso_currency_code',
      'accounts[].current_balance',
    ],
  },
} as const satisfies Record<string, OperationResult>

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
    assumed:
      'the codes internal_error for a 5xx, invalid_request for a 405 or 415, unknown_api_key for a wrong portal signature; id, code and message in accounts[] of a failed refresh',
    because: 'no code is listed for these, and no fields of accounts[]',
  },
  {
    about: 'error objects',
    assumed:
      'trace_id in an operation, a last_error or an event is that of the request or the job that met it',
    because: 'the field is listed for every error object, and said to match X-LS-Trace-Id',
  },
  {
    about: 'error objects',
    assumed: 'the values of code in errors[], such as required, unknown_field, too_small and not_allowlisted',
    because: 'only that a field-level problem has a code',
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
      'the promise of each source in expected_capabilities, but for check_images and available_balance',
    because: 'only which sources have these two is given',
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
    about: 'desktop app pairing',
    assumed:
      'a Connection of another source, of a bank that needs no desktop app, and a disconnected one are refused with validation_failed (unsupported_source, unsupported, disconnected), which is no try',
    because:
      'only a Connection with requires_desktop_app has an app to pair, and none of the four errors says so',
  },
  {
    about: 'current_balance',
    assumed:
      'it leaves out pending transactions: the balance of an earlier day is today’s without what settled since',
    because:
      'the reference does not say whether it includes them, and available_balance is a field of its own',
  },
]
