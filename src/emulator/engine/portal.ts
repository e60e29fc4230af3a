/** Applications for access: filed once, edited by the integrator while undecided, decided by a reviewer. */
import type { Environment } from '../store/customers.ts'
import type { PortalRequestRow } from '../store/portal-requests.ts'
import { type Engine, isoNow } from './engine.ts'
import { notFound, ServiceError } from './errors.ts'

type AccessTo = PortalRequestRow['environment']
type Fields = Readonly<Record<string, unknown>>

/** `base` is the emulator's base that was called: their records do not mix. */
export function applyFor(
  engine: Engine,
  base: Environment,
  environment: AccessTo,
  { idp_user_id, ...fields }: Fields & { idp_user_id: string },
): PortalRequestRow {
  if (engine.store.portalRequests.get(base, environment, idp_user_id)) {
    throw new ServiceError('invalid_request', 'This user has filed an application already.', {
      param: 'idp_user_id',
    })
  }
  engine.store.portalRequests.add(base, {
    environment,
    idp_user_id,
    request_id: engine.ids.uuid('portal-request'),
    status: 'PENDING',
    denial_code: null,
    fields: JSON.stringify(fields),
    created_at: isoNow(engine),
  })
  return applicationOf(engine, base, environment, idp_user_id)
}

/** Only what the integrator supplied; only while PENDING or NEEDS_INFO. */
export function editApplication(
  engine: Engine,
  base: Environment,
  { idp_user_id, ...changes }: Fields & { idp_user_id: string },
): PortalRequestRow {
  const row = applicationOf(engine, base, 'LIVE', idp_user_id)
  if (row.status === 'APPROVED' || row.status === 'DENIED') {
    throw new ServiceError('invalid_request', `The application is ${row.status} and cannot be edited.`)
  }
  const fields = { ...(JSON.parse(row.fields) as Fields), ...changes }
  engine.store.portalRequests.change(row.seq, { fields: JSON.stringify(fields) })
  return applicationOf(engine, base, 'LIVE', idp_user_id)
}

/** The decision of a reviewer, made through the emulator's controls. */
export function reviewApplication(
  engine: Engine,
  base: Environment,
  environment: AccessTo,
  user: string,
  status: PortalRequestRow['status'],
  denialCode: string | undefined,
): PortalRequestRow {
  const row = applicationOf(engine, base, environment, user)
  const denial_code = status === 'DENIED' ? (denialCode ?? 'NOT_ELIGIBLE') : null
  engine.store.portalRequests.change(row.seq, { status, denial_code })
  return applicationOf(engine, base, environment, user)
}

/** Whether the firm waits for its live application to be decided. One that names no customer is that of all on its base: assumed. */
export function isUnderReview({ store }: Engine, base: Environment): boolean {
  return store.portalRequests.isUndecided(base, 'LIVE')
}

function applicationOf(
  { store }: Engine,
  base: Environment,
  environment: AccessTo,
  user: string,
): PortalRequestRow {
  const row = store.portalRequests.get(base, environment, user)
  if (!row) throw notFound('application')
  return row
}
