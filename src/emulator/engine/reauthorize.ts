/** Reauthorize: a link for the user to repair a Connection or to share more accounts. */
import type { Reauthorization } from '../../contract/connections.ts'
import { type CatalogInstitution, findInstitution } from '../catalog/institutions.ts'
import type { ConnectionRow } from '../store/connections.ts'
import type { ReauthLinkRow } from '../store/links.ts'
import type { Environment } from '../store/tenants.ts'
import { shareOpenedAccounts } from './account-discovery.ts'
import { changeStatus, connectionAt, errorFor, institutionOf } from './connections.ts'
import { refreshDailyFromNow } from './daily-agenda.ts'
import { day, type Engine, isoNow, tenantOf } from './engine.ts'
import { finishWidget, initiateOnPage } from './linking.ts'
import { behaviourOf } from './trouble.ts'

/** Days a link works: about six. It is reusable until then. */
const lifetime = 6 * day

/** Where banks went that are served exclusively by another provider now: configuration, it can change at any time. */
const movedTo = 'ins_b_ok'

/** Makes a link. Not gated on status; the outcome arrives as an event. */
export function reauthorize(engine: Engine, connection: ConnectionRow): Reauthorization {
  const { store, ids, origins } = engine
  const expires_at = isoNow(engine, lifetime)
  const token = ids.hex('reauthorize', 40)
  const moved = institutionOf(connection).behaviour === 'moved' ? findInstitution(movedTo) : undefined
  store.links.addReauth({
    tenant: connection.tenant,
    token,
    connection: connection.seq,
    add_bank_source: moved?.source ?? null,
    expires_at,
  })
  const reauth_url = `${origins[tenantOf(engine, connection.tenant).environment]}/reauthorize/${token}`
  return {
    connection_id: connection.id,
    source: moved?.source ?? connection.source,
    action: { kind: 'reauthorize', reauth_url, expires_at },
  }
}

/** The link behind a token while it works; undefined when it is unknown or expired. */
export function liveReauthLink(
  engine: Engine,
  environment: Environment,
  token: string,
): ReauthLinkRow | undefined {
  const link = engine.store.links.reauth(token)
  if (!link || tenantOf(engine, link.tenant).environment !== environment) return undefined
  return link.expires_at > isoNow(engine) ? link : undefined
}

/** Where the user signs in through a link: the bank itself, or the one it moved to. */
export function institutionOfLink(engine: Engine, link: ReauthLinkRow): CatalogInstitution {
  const moved = link.add_bank_source ? findInstitution(movedTo) : undefined
  return moved ?? institutionOf(connectionAt(engine, link.connection))
}

/** The user completes the session. Same ids, unless the bank moved: then a new Connection, the old one unchanged. */
export function completeReauthorize(engine: Engine, link: ReauthLinkRow): ConnectionRow {
  const row = connectionAt(engine, link.connection)
  if (link.add_bank_source) return addMovedBank(engine, row)
  // Only the bank can unlock an account: signing in again fails.
  if (behaviourOf(row) === 'locked') return failReauthorize(engine, link)
  engine.store.connections.change(row.seq, { recovered: 1 })
  shareOpenedAccounts(engine, row)
  changeStatus(engine, row, 'reauthorized')
  refreshDailyFromNow(engine, row.seq)
  return connectionAt(engine, row.seq)
}

/** The session ends without success. */
export function failReauthorize(engine: Engine, link: ReauthLinkRow): ConnectionRow {
  const row = connectionAt(engine, link.connection)
  const code = behaviourOf(row) === 'locked' ? 'account_locked_by_institution' : 'credentials_invalid'
  changeStatus(engine, row, 'reauthorize_failed', errorFor(engine, code))
  return connectionAt(engine, row.seq)
}

function addMovedBank(engine: Engine, { tenant, client }: ConnectionRow): ConnectionRow {
  const institution = findInstitution(movedTo)
  if (!institution) throw new Error(`the catalog lacks ${movedTo}`)
  const token = initiateOnPage(engine, { tenant, client: { seq: client }, institution, redirectUrl: null })
  const added = engine.store.connections.byWidgetToken(token)
  if (!added) throw new Error('the connection just added is gone')
  return finishWidget(engine, added.seq)
}
