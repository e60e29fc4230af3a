import * as z from 'zod'
import { ExpectedCapabilities, RealizedCapabilities } from './capabilities.ts'
import { empty, endpoint } from './endpoint.ts'
import { ApiError } from './errors.ts'
import { ClientId, ConnectionId, InstitutionId } from './ids.ts'
import { ConnectionSource, DateTime, OperationAccepted, page, paging } from './shapes.ts'

export const connectionStatuses = [
  'initiated',
  'requires_action',
  'active',
  'failed',
  'disconnected',
] as const
export const ConnectionStatus = z.enum(connectionStatuses)
export type ConnectionStatus = z.infer<typeof ConnectionStatus>

/** A Client's link to an institution through a source. */
export const Connection = z.looseObject({
  id: ConnectionId,
  client_id: ClientId.optional(),
  source: ConnectionSource,
  status: ConnectionStatus,
  created_at: DateTime,
  updated_at: DateTime,
  last_refreshed_at: DateTime.nullable(),
  institution: z.looseObject({ id: InstitutionId, name: z.string(), logo_url: z.string().nullish() }),
  last_error: ApiError.nullish(),
  expected_capabilities: ExpectedCapabilities.optional(),
  realized_capabilities: RealizedCapabilities.optional(),
  /** FDE only: when true the desktop app must be open and connected for a refresh to run. */
  requires_desktop_app: z.boolean().optional(),
})
export type Connection = z.infer<typeof Connection>

/** `result` of a Connection operation: a snapshot, written once. An initiate's holds the widget URL to open. */
export const ConnectionResult = z.looseObject({
  kind: z.string(),
  connection: z.looseObject({
    id: ConnectionId,
    source: ConnectionSource.optional(),
    status: ConnectionStatus.optional(),
    action: z.looseObject({ widget_url: z.string() }).nullish(),
    _debug: z.looseObject({ source_used: z.string() }).nullish(),
  }),
})
export type ConnectionResult = z.infer<typeof ConnectionResult>

/**
 * Answer to reauthorize. `reauth_url` is a reusable bearer credential until `expires_at` (about six days): not to be
 * logged. A `source` that differs from the id's means an add-bank link for another provider: new ids will follow.
 */
export const Reauthorization = z.looseObject({
  connection_id: ConnectionId,
  source: ConnectionSource,
  action: z.looseObject({ kind: z.literal('reauthorize'), reauth_url: z.string(), expires_at: DateTime }),
})
export type Reauthorization = z.infer<typeof Reauthorization>

const connectionId = { connection_id: ConnectionId } as const

export const connections = {
  initiate: endpoint({
    method: 'POST',
    path: '/clients/{client_id}/connections',
    summary: "Start linking a Client's bank",
    params: { client_id: ClientId },
    body: {
      institution_id: InstitutionId,
      redirect_url: z.string().nullish(),
      /** Deprecated and ignored: bank credentials are never sent to the API. */
      credentials: z.record(z.string(), z.unknown()).nullish(),
    },
    success: { 202: OperationAccepted },
    scope: 'write:connections',
    retry: 'if-refused',
    idempotencyKey: 'ignored',
    origin: 'documented',
    assumes: 'scope',
  }),
  list: endpoint({
    method: 'GET',
    path: '/clients/{client_id}/connections',
    summary: "List a Client's Connections (canonical ids only)",
    params: { client_id: ClientId },
    query: paging,
    success: { 200: page(Connection) },
    scope: 'read:connections',
    retry: 'safe',
    paged: true,
    origin: 'documented',
    assumes: 'scope',
  }),
  get: endpoint({
    method: 'GET',
    path: '/connections/{connection_id}',
    summary: 'Show a Connection',
    params: connectionId,
    success: { 200: Connection },
    scope: 'read:connections',
    retry: 'safe',
    origin: 'documented',
    assumes: 'scope',
  }),
  delete: endpoint({
    method: 'DELETE',
    path: '/connections/{connection_id}',
    summary: 'Delete a Connection',
    params: connectionId,
    success: { 204: empty },
    scope: 'write:connections',
    retry: 'safe',
    origin: 'documented',
    assumes: 'response 204, scope',
  }),
  refresh: endpoint({
    method: 'POST',
    path: '/connections/{connection_id}/refresh',
    summary: 'Ask the source for fresh data',
    params: connectionId,
    success: { 202: OperationAccepted },
    scope: 'write:connections',
    codes: ['no_refreshable_accounts', 'refresh_not_supported'],
    retry: 'if-refused',
    origin: 'documented',
    assumes: 'no request body, scope',
  }),
  reauthorize: endpoint({
    method: 'POST',
    path: '/connections/{connection_id}/reauthorize',
    summary: 'Make a link for the user to repair a Connection or share more accounts',
    params: connectionId,
    success: { 200: Reauthorization },
    scope: 'write:connections',
    codes: ['connection_deleted'],
    // Each call may create another link, and data shared through links is billable.
    retry: 'never',
    origin: 'documented',
    assumes: 'status 200, scope',
  }),
}
