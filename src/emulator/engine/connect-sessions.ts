/** Connect sessions: pick-and-connect links that work until they expire or are revoked. */
import type { ConnectSession } from '../../contract/connect-sessions.ts'
import { basePath } from '../../contract/service.ts'
import type { Environment, Tenant } from '../store/customers.ts'
import type { ConnectSessionRow } from '../store/links.ts'
import { type Engine, isoNow, tenantOf } from './engine.ts'
import { minute } from './schedule.ts'

/** Lifetime of a link: assumed, the reference says only that it ends. */
const lifetime = 30 * minute

export function openSession(
  engine: Engine,
  tenant: Tenant,
  client: number,
  redirectUrl: string | undefined,
): ConnectSession {
  const sid = `cs_${engine.ids.secret('connect-session', 40)}`
  const expires_at = isoNow(engine, lifetime)
  engine.store.links.addSession({
    tenant: tenant.seq,
    sid,
    client,
    redirect_url: redirectUrl ?? null,
    created_at: isoNow(engine),
    expires_at,
  })
  const url = `${engine.origins[tenant.environment]}${basePath}/connect-session?token=${sid}`
  return { sid, url, expires_at }
}

/** The session behind a token while the link lives. A tampered, expired or revoked one is undefined. */
export function liveSession(
  engine: Engine,
  environment: Environment,
  token: string,
): ConnectSessionRow | undefined {
  const row = engine.store.links.session(token)
  if (!row || row.revoked === 1 || tenantOf(engine, row.tenant).environment !== environment) return undefined
  return row.expires_at > isoNow(engine) ? row : undefined
}
