/** Queries of the portal's applications for access. */
import type { Environment } from './customers.ts'
import type { Database } from './database.ts'

export interface PortalRequestRow {
  readonly seq: number
  readonly environment: 'SANDBOX' | 'LIVE'
  readonly idp_user_id: string
  readonly request_id: string
  readonly status: 'PENDING' | 'NEEDS_INFO' | 'APPROVED' | 'DENIED'
  readonly denial_code: string | null
  /** JSON of what the integrator supplied. */
  readonly fields: string
  readonly created_at: string
}

type Changes = Partial<Pick<PortalRequestRow, 'status' | 'denial_code' | 'fields'>>

export function portalRequestQueries(db: Database) {
  return {
    add: (base: Environment, row: Omit<PortalRequestRow, 'seq'>) =>
      db.insert('portal_requests', { base, ...row }),
    get: (base: Environment, environment: PortalRequestRow['environment'], user: string) =>
      db.get<PortalRequestRow>(
        'SELECT * FROM portal_requests WHERE base = ? AND environment = ? AND idp_user_id = ?',
        base,
        environment,
        user,
      ),
    /** Whether an application made at this base waits for its decision. */
    isUndecided: (base: Environment, environment: PortalRequestRow['environment']) =>
      db.get(
        "SELECT 1 FROM portal_requests WHERE base = ? AND environment = ? AND status IN ('PENDING', 'NEEDS_INFO')",
        base,
        environment,
      ) !== undefined,
    change: (seq: number, changes: Changes) => db.update('portal_requests', seq, changes),
  }
}
