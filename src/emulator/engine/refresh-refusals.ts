/** Refreshes that end without an account reporting, because of what stands in the way. */
import type { KnownErrorCode } from '../../contract/errors.ts'
import type { Behaviour } from '../catalog/institutions.ts'
import type { ConnectionRow } from '../store/connections.ts'
import { errorCodeOf } from './connections.ts'
import type { ProblemDetails } from './problem.ts'

export interface Refusal {
  readonly code: KnownErrorCode
  /** False where the bank was not contacted: refusals at the desktop-app check. */
  readonly usesBudget: boolean
  readonly details?: ProblemDetails
}

const fde: Partial<Record<Behaviour, Refusal>> = {
  mfa: { code: 'mfa_required', usesBudget: true },
  refused: {
    code: 'source_internal_error',
    usesBudget: true,
    details: { source_diagnostic_code: 'FDE-SITE_CHANGED' },
  },
  desktop: { code: 'desktop_app_required', usesBudget: false },
  choice: { code: 'desktop_app_route_choice', usesBudget: false },
}

/** Codes of `last_error` with which a refresh fails at once, as the bank would refuse again: assumed. */
const standing: readonly KnownErrorCode[] = [
  'credentials_invalid',
  'account_locked_by_institution',
  'mfa_required',
  'institution_unavailable',
]

/** Why a refresh now is refused, or undefined when the bank will be asked. */
export function refusalOf(connection: ConnectionRow, behaviour: Behaviour): Refusal | undefined {
  const byBank = connection.source === 'FDE' ? fde[behaviour] : undefined
  if (byBank) return byBank
  if (connection.status === 'active') return undefined
  const code = standing.find((known) => known === errorCodeOf(connection))
  return code && { code, usesBudget: true }
}
