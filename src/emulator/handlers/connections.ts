import type { connections as contract } from '../../contract/connections.ts'
import { sourceOf } from '../../contract/ids.ts'
import { findInstitution } from '../catalog/institutions.ts'
import { checkRedirect } from '../engine/allowlist.ts'
import { changeStatus, connectionOnWire } from '../engine/connections.ts'
import { initiate } from '../engine/linking.ts'
import { accepted } from '../engine/operations.ts'
import { pageOf } from '../engine/paging.ts'
import { Problem } from '../engine/problem.ts'
import { reauthorize } from '../engine/reauthorize.ts'
import { startRefresh } from '../engine/refresh.ts'
import { clientOf, connectionOf } from './finding.ts'
import type { Handlers } from './handler.ts'

/** Best-effort floor of a refresh, in seconds. */
const refreshSeconds = 120

export const connections: Handlers<typeof contract> = {
  initiate({ client_id, institution_id, redirect_url }, call) {
    const { engine, tenant } = call
    const client = clientOf(call, client_id)
    const institution = findInstitution(institution_id)
    if (!institution) {
      const errors = [
        { param: 'institution_id', message: 'is not in the catalog', code: 'unknown_institution' },
      ]
      throw new Problem('validation_failed', 'institution_id: is not in the catalog', {
        param: 'institution_id',
        errors,
      })
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
    // A Connection whose access has ended already stays as it is: deleting may be repeated.
    changeStatus(call.engine, connectionOf(call, connection_id), 'deleted')
    return undefined
  },

  refresh: ({ connection_id }, call) =>
    accepted(call.engine, startRefresh(call.engine, connectionOf(call, connection_id)), refreshSeconds),

  reauthorize({ connection_id }, call) {
    if (sourceOf(connection_id) === 'PDF') {
      throw new Problem('invalid_request', 'PDF data has no connection to reauthorize.', {
        param: 'connection_id',
      })
    }
    return reauthorize(call.engine, connectionOf(call, connection_id))
  },
}
