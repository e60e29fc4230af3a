/** Queries of connect sessions and reauthorize links. */
import type { ConnectionSource } from '../../contract/shapes.ts'
import type { Database } from './database.ts'

export interface ConnectSessionRow {
  readonly seq: number
  readonly tenant: number
  readonly sid: string
  readonly client: number
  readonly client_id: string
  readonly redirect_url: string | null
  readonly expires_at: string
  readonly revoked: 0 | 1
}

export interface ReauthLinkRow {
  readonly seq: number
  readonly tenant: number
  readonly token: string
  readonly connection: number
  /** Set when the bank moved: the link adds the bank at this source instead. */
  readonly add_bank_source: ConnectionSource | null
  readonly expires_at: string
  /** The Connection added through such a link, once the user has signed in. */
  readonly added_connection: number | null
}

export function linkQueries(db: Database) {
  return {
    addSession: (
      row: Pick<ConnectSessionRow, 'tenant' | 'sid' | 'client' | 'redirect_url' | 'expires_at'> & {
        created_at: string
      },
    ) => db.insert('connect_sessions', { ...row }),
    session: (sid: string) =>
      db.get<ConnectSessionRow>(
        'SELECT s.*, k.id AS client_id FROM connect_sessions s JOIN clients k ON k.seq = s.client WHERE s.sid = ?',
        sid,
      ),
    revokeSession: (seq: number) => db.update('connect_sessions', seq, { revoked: true }),
    addReauth: (row: Omit<ReauthLinkRow, 'seq' | 'added_connection'>) =>
      db.insert('reauth_links', { ...row }),
    addedByReauth: (seq: number, added_connection: number) =>
      db.update('reauth_links', seq, { added_connection }),
    reauth: (token: string) => db.get<ReauthLinkRow>('SELECT * FROM reauth_links WHERE token = ?', token),
  }
}
