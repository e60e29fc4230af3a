/** Handlers of Connections and of the connect sessions that lead to one. */
import type { connectSessions as connectSessionsContract } from '../../contract/connect-sessions.ts'
import type { connections as connectionsContract } from '../../contract/connections.ts'
import { isOfSource } from '../../contract/ids.ts'
import { openSession } from '../engine/connect-sessions.ts'
import { connectionOnWire, deleteConnection } from '../engine/connections.ts'
import { invalidFields, notFound, ServiceError } from '../engine/errors.ts'
import { initiate } from '../engine/linking.ts'
import { accepted } from '../engine/operations.ts'
import { pageOf } from '../engine/paging.ts'
import { reauthorize } from '../engine/reauthorize.ts'
import { checkRedirect } from '../engine/redirect-allowlist.ts'
import { startRefresh } from '../engine/refresh.ts'
import { connectSessionPage } from '../hosted/connect-session.ts'
import { findInstitution } from '../institutions/catalog.ts'
import { clientOf, connectionOf, type Handlers } from './handler.ts'

/** Best-effort floor of a refresh, in seconds. */
const refreshSeconds = 120

export const connections: Handlers<typeof connectionsContract> = {
  initiate({ client_id, institution_id, redirect_url }, call) {
    const { engine, tenant } = call
    const client = clientOf(call, client_id)
    const institution = findInstitution(institution_id)
    if (!institution) {
      throw invalidFields([
        { param: 'institution_id', message: 'is not in the catalog', code: 'unknown_institution' },
      ])
    }
    if (typeof redirect_url === 'string') checkRedirect(engine, tenant.seq, redirect_url)
    const operation = initiate(engine, {
      tenant: tenant.seq,
      client,
      institution,
      redirectUrl: redirect_url ?? null,
    })
    return accepted(engine, operation)
  },

  list({ client_id, ...page }, call) {
    const { engine } = call
    const client = clientOf(call, client_id)
    return pageOf(
      engine,
      ['connections', client.seq],
      page,
      (slice) => engine.store.connections.list(client.seq, slice),
      connectionOnWire,
    )
  },

  get: ({ connection_id }, call) => connectionOnWire(connectionOf(call, connection_id)),

  delete({ connection_id }, call) {
    deleteConnection(call.engine, connectionOf(call, connection_id))
    return undefined
  },

  refresh: ({ connection_id }, call) =>
    accepted(call.engine, startRefresh(call.engine, connectionOf(call, connection_id)), refreshSeconds),

  reauthorize({ connection_id }, call) {
    if (isOfSource(connection_id, 'PDF')) {
      throw new ServiceError('invalid_request', 'PDF data has no connection to reauthorize.', {
        param: 'connection_id',
      })
    }
    return reauthorize(call.engine, connectionOf(call, connection_id))
  },
}

export const connectSessions: Handlers<typeof connectSessionsContract> = {
  create({ client_id, redirect_url }, call) {
    const client = clientOf(call, client_id)
    if (redirect_url !== undefined) checkRedirect(call.engine, call.tenant.seq, redirect_url)
    return openSession(call.engine, call.tenant, client.seq, redirect_url)
  },

  delete({ client_id, sid }, call) {
    const client = clientOf(call, client_id)
    const session = call.engine.store.links.session(sid)
    if (session?.client !== client.seq) throw notFound('connect session')
    call.engine.store.links.revokeSession(session.seq)
    return undefined
  },

  page: ({ token }, { engine, environment }) => connectSessionPage(engine, environment, token),
}
