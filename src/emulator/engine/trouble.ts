/** What an institution of the catalog plays once it is linked. */
import type { KnownErrorCode } from '../../contract/errors.ts'
import type { Behaviour } from '../catalog/institutions.ts'
import type { ConnectionRow } from '../store/connections.ts'
import type { ConnectionTrigger } from './connection-status.ts'
import { changeStatus, connectionAt, errorFor, institutionOf } from './connections.ts'
import type { Engine } from './engine.ts'
import { type MemberStatus, meaningOf } from './member-status.ts'

/** Shortly after the link; A's MFA is the silent one. The other behaviours show at a refresh or a reauthorize. */
const afterLink: Partial<
  Record<Behaviour, { trigger: ConnectionTrigger; error?: KnownErrorCode } | MemberStatus>
> = {
  mfa: { trigger: 'mfa_challenge', error: 'mfa_required' },
  down: { trigger: 'outage', error: 'institution_unavailable' },
  denied: 'DENIED',
  locked: 'LOCKED',
  closed: 'CLOSED',
}

/** Job: the trouble that the institution plays, if it plays one and it is not over. */
export function playTrouble(engine: Engine, connection: number): void {
  const row = connectionAt(engine, connection)
  const part = afterLink[behaviourOf(row)]
  if (!part) return
  const { trigger, error } = typeof part === 'string' ? meaningOf(part) : part
  changeStatus(engine, row, trigger, error && errorFor(engine, error))
}

/** What its institution plays, or `ok` once that is over. */
export function behaviourOf(row: ConnectionRow): Behaviour {
  return row.recovered === 1 ? 'ok' : institutionOf(row).behaviour
}
