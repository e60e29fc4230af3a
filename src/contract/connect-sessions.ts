import * as z from 'zod'
import { empty, endpoint, file } from './endpoint.ts'
import { ClientId, SessionId } from './ids.ts'
import { DateTime } from './shapes.ts'

/** A hosted pick-and-connect link. `sid` is also the link's credential: kept server-side. */
export const ConnectSession = z.looseObject({ sid: SessionId, url: z.string(), expires_at: DateTime })
export type ConnectSession = z.infer<typeof ConnectSession>

export const connectSessions = {
  create: endpoint({
    method: 'POST',
    path: '/clients/{client_id}/connect-session',
    summary: 'Make a hosted pick-and-connect link',
    params: { client_id: ClientId },
    body: { redirect_url: z.string().optional() },
    success: { 201: ConnectSession },
    scope: 'write:connections',
    retry: 'with-key',
    idempotencyKey: 'honoured',
    origin: 'documented',
    assumes: 'status 201, scope',
  }),
  delete: endpoint({
    method: 'DELETE',
    path: '/clients/{client_id}/connect-session/{sid}',
    summary: 'Kill a pick-and-connect link',
    params: { client_id: ClientId, sid: SessionId },
    success: { 204: empty },
    scope: 'write:connections',
    retry: 'safe',
    origin: 'documented',
    assumes: 'response 204, scope',
  }),
  page: endpoint({
    method: 'GET',
    path: '/connect-session',
    summary: 'The hosted page itself, opened by the user',
    query: { token: z.string() },
    success: { 200: file('text/html') },
    scope: null,
    auth: 'none',
    retry: 'safe',
    origin: 'documented',
    assumes: 'the name of the query parameter: token',
  }),
}
