/** Handlers of API keys. */
import type { ApiKey, keys as contract } from '../../contract/keys.ts'
import type { Scope } from '../../contract/scopes.ts'
import { addKey, newPlaintext, revokeKey, setScopes } from '../engine/api-keys.ts'
import { notFound } from '../engine/errors.ts'
import { pageOf } from '../engine/paging.ts'
import { withoutNulls } from '../engine/without-nulls.ts'
import type { ApiKeyRow } from '../store/api-keys.ts'
import type { Environment } from '../store/customers.ts'
import type { Handlers, KeyCall } from './handler.ts'

export const keys: Handlers<typeof contract> = {
  create({ scopes }, call) {
    const secret = newPlaintext(call.engine, call.tenant)
    const id = addKey(call.engine, call.tenant, secret, scopes)
    return { ...onWire(keyOf(call, id), call.environment), secret }
  },

  list: (page, { engine, tenant, environment }) =>
    pageOf(
      engine,
      ['api-keys', tenant.seq],
      page,
      (slice) => engine.store.apiKeys.list(tenant.seq, slice),
      (row) => onWire(row, environment),
    ),

  updateScopes({ api_key_id, scopes }, call) {
    setScopes(call.engine, keyOf(call, api_key_id), scopes)
    call.authenticator.forget()
    return onWire(keyOf(call, api_key_id), call.environment)
  },

  revoke({ api_key_id }, call) {
    revokeKey(call.engine, keyOf(call, api_key_id))
    call.authenticator.forget()
    return undefined
  },
}

/** Only keys of the caller's own environment are there: a sandbox key cannot widen a live one. */
function keyOf({ engine, tenant }: KeyCall, id: string): ApiKeyRow {
  const row = engine.store.apiKeys.byId(tenant.seq, id)
  if (!row) throw notFound('API key')
  return row
}

function onWire(row: ApiKeyRow, environment: Environment): ApiKey {
  return {
    id: row.id,
    environment,
    prefix: row.prefix,
    scopes: JSON.parse(row.scopes) as Scope[],
    status: row.status,
    created_at: row.created_at,
    ...withoutNulls({ last_used_at: row.last_used_at, revoked_at: row.revoked_at }),
  }
}
