/** Reauthorize: a link for the user to repair a Connection or to share more accounts. */
import type { Reauthorization } from '../../contract/connections.ts'
import { type CatalogInstitution, findInstitution } from '../institutions/catalog.ts'
import type { ConnectionRow } from '../store/connections.ts'
import type { Environment } from '../store/customers.ts'
import type { ReauthLinkRow } from '../store/links.ts'
import { shareOpenedAccounts } from './accounts.ts'
import { applyStatusChange, behaviourOf, changeStatus, connectionAt, institutionOf } from './connections.ts'
import { type Engine, isoNow, tenantOf } from './engine.ts'
import { ServiceError } from './errors.ts'
import { initiateOnPage } from './linking.ts'
import { day } from './schedule.ts'

/** A link works, and can be used again, for about six days. */
const lifetime = 6 * day

/** Makes a link. Not gated on status; the outcome arrives as an event. Throws `connection_deleted`: no way back. */
export function reauthorize(engine: Engine, connection: ConnectionRow): Reauthorization {
  if (connection.deleted === 1) throw new ServiceError('connection_deleted')
  const { store, ids, origins } = engine
  const expires_at = isoNow(engine, lifetime)
  const token = ids.secret('reauthorize', 40)
  const moved = newInstitutionOf(connection)
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

/** The link behind a token while it works; undefined when it is unknown or expired, or its Connection deleted. */
export function liveReauthLink(
  engine: Engine,
  environment: Environment,
  token: string,
): ReauthLinkRow | undefined {
  const link = engine.store.links.reauth(token)
  if (!link || tenantOf(engine, link.tenant).environment !== environment) return undefined
  if (connectionAt(engine, link.connection).deleted === 1) return undefined
  return link.expires_at > isoNow(engine) ? link : undefined
}

/** The institution a link signs in to: the Connection's own, or the one it moved to. */
export function institutionOfLink(engine: Engine, link: ReauthLinkRow): CatalogInstitution {
  const row = connectionAt(engine, link.connection)
  return (link.add_bank_source && newInstitutionOf(row)) || institutionOf(row)
}

/** The entry of the institution to which the Connection's own moved, if it did. */
function newInstitutionOf(row: ConnectionRow): CatalogInstitution | undefined {
  const { movedTo } = institutionOf(row).behaviour
  return movedTo === undefined ? undefined : findInstitution(movedTo)
}

/**
 * The user signs in through a link, and shares those accounts opened since that `adds` takes. Same ids. Where the bank
 * refuses the sign-in the session fails.
 */
export function completeReauthorize(
  engine: Engine,
  link: ReauthLinkRow,
  adds: (id: string) => boolean,
): ConnectionRow {
  const row = connectionAt(engine, link.connection)
  const { reauthorizeError } = behaviourOf(row)
  if (reauthorizeError) {
    applyStatusChange(engine, row, { trigger: 'reauthorize_failed', error: reauthorizeError.code })
    const failed = connectionAt(engine, row.seq)
    const { afterLinking, hasRecovered } = behaviourOf(failed)
    // The bank has not changed: an account that was locked reads so again.
    if (afterLinking && !hasRecovered(failed)) applyStatusChange(engine, failed, afterLinking)
  } else {
    engine.store.connections.change(row.seq, { recovered: 1 })
    shareOpenedAccounts(engine, row, adds)
    changeStatus(engine, row, 'reauthorized')
  }
  return connectionAt(engine, row.seq)
}

/** The token of the widget that adds a bank that moved; undefined while the user has not signed in through the link. */
export function addedWidget(engine: Engine, { added_connection }: ReauthLinkRow): string | undefined {
  if (added_connection === null) return undefined
  return connectionAt(engine, added_connection).widget_token ?? undefined
}

/** The user signs in through the link of a bank that moved: a new Connection, once per link, the old one unchanged. */
export function addBank(engine: Engine, link: ReauthLinkRow): string {
  const { tenant, client } = connectionAt(engine, link.connection)
  const institution = institutionOfLink(engine, link)
  const token = initiateOnPage(engine, { tenant, client: { seq: client }, institution, redirectUrl: null })
  const added = engine.store.connections.byWidgetToken(token)
  if (!added) throw new Error('the connection just added is gone')
  engine.store.links.addedByReauth(link.seq, added.seq)
  return token
}
