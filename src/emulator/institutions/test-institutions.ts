/** The test institutions: each behaves in one way that the reference describes. docs/emulator.md lists them. */
import type { ConnectionSource } from '../../contract/shapes.ts'
import { memberStatusChanges } from '../engine/connection-status.ts'
import { type InstitutionBehaviour, lockedBehaviour } from './behaviour.ts'

export interface TestInstitution {
  readonly id: string
  readonly source: ConnectionSource
  /** As a bank would be called: what it does is said beside it. */
  readonly name: string
  /** What it does, in two or three words, on the page where a user chooses a bank; none for an ordinary one. */
  readonly misbehaves?: string
  /** FDE only, and only where known. */
  readonly requires_desktop_app?: boolean
  /** A row of docs/emulator.md. */
  readonly happens: string
  /** Where it differs from an ordinary institution. */
  readonly behaviour?: Partial<InstitutionBehaviour>
}

const securityQuestion = 'What was the name of your first school?'

/** In the order in which lists show them. */
export const testInstitutions: readonly TestInstitution[] = [
  { id: 'ins_a_ok', source: 'AGGREGATOR_A', name: 'Alder Bank', happens: 'links and refreshes' },
  {
    id: 'ins_a_mfa',
    source: 'AGGREGATOR_A',
    name: 'Alder Trust',
    misbehaves: 'Security question',
    happens: 'an MFA challenge after linking: reads `requires_action` on GET, no event',
    behaviour: {
      securityQuestion,
      afterLinking: { trigger: 'mfa_challenge', error: 'mfa_required' },
      hasRecovered: () => false,
    },
  },
  {
    id: 'ins_a_silent',
    source: 'AGGREGATOR_A',
    name: 'Alder Savings',
    misbehaves: 'Never reports',
    happens: "a refresh to which no account reports: `refresh_timed_out`; the service's own: `disconnected`",
    behaviour: { accountReport: () => 'none' },
  },
  {
    id: 'ins_a_down',
    source: 'AGGREGATOR_A',
    name: 'Alder Mutual',
    misbehaves: 'Not available',
    happens: '`failed` with `institution_unavailable`, recovers at a daily refresh',
    behaviour: {
      signInRefusal: 'unavailable',
      afterLinking: { trigger: 'outage', error: 'institution_unavailable' },
    },
  },
  {
    id: 'ins_a_moved',
    source: 'AGGREGATOR_A',
    name: 'Alder Federal',
    misbehaves: 'Moved elsewhere',
    happens: "reauthorize answers with another source's add-bank link: a new Connection with new ids",
    behaviour: { movedTo: 'ins_b_ok' },
  },
  {
    id: 'ins_a_stops',
    source: 'AGGREGATOR_A',
    name: 'Alder & Sons',
    misbehaves: 'Stops refreshing',
    happens: "the service's own refresh fails: `disconnected`",
    behaviour: { ownRefreshError: 'source_internal_error' },
  },
  { id: 'ins_b_ok', source: 'AGGREGATOR_B', name: 'Birch Savings', happens: 'links and refreshes' },
  {
    id: 'ins_b_denied',
    source: 'AGGREGATOR_B',
    name: 'Birch Bank',
    misbehaves: 'Denies sign-in',
    happens: '`requires_action` with `credentials_invalid`',
    behaviour: {
      signInRefusal: 'denied',
      afterLinking: memberStatusChanges.DENIED,
      hasRecovered: () => false,
    },
  },
  {
    id: 'ins_b_locked',
    source: 'AGGREGATOR_B',
    name: 'Birch Trust',
    misbehaves: 'Locks account',
    happens:
      '`requires_action` with `account_locked_by_institution`, until `emulator trigger bank.recovered`',
    behaviour: lockedBehaviour,
  },
  {
    id: 'ins_b_closed',
    source: 'AGGREGATOR_B',
    name: 'Birch Mutual',
    misbehaves: 'Closes login',
    happens: '`disconnected`',
    behaviour: { signInRefusal: 'closed', afterLinking: memberStatusChanges.CLOSED },
  },
  {
    id: 'ins_b_partial',
    source: 'AGGREGATOR_B',
    name: 'Birch Federal',
    misbehaves: 'One account fails',
    happens: 'one account fails: `refresh_partially_failed` with `error.accounts[]`',
    behaviour: { accountReport: (_connection, last) => (last ? 'failed' : 'succeeded') },
  },
  {
    id: 'ins_b_flaky',
    source: 'AGGREGATOR_B',
    name: 'Birch & Sons',
    misbehaves: 'Fails, recovers',
    happens: 'a capability fails three times, then recovers twice: two `connection.capability_changed`',
    behaviour: {
      // Failing is believed after three observations.
      observedCapability: ({ syncs }, capability) =>
        capability === 'balance' && syncs < 3 ? 'failed' : 'succeeded',
    },
  },
  {
    id: 'ins_fde_ok',
    source: 'FDE',
    name: 'First Fir Bank',
    happens: 'links and refreshes',
    requires_desktop_app: false,
  },
  {
    id: 'ins_fde_mfa',
    source: 'FDE',
    name: 'First Fir Trust',
    misbehaves: 'Security question',
    requires_desktop_app: false,
    happens: "a refresh refused with `mfa_required`; the service's own: `disconnected`",
    behaviour: { securityQuestion, refreshRefusal: { code: 'mfa_required', usesBudget: true } },
  },
  {
    id: 'ins_fde_refused',
    source: 'FDE',
    name: 'First Fir Savings',
    misbehaves: 'Refuses refresh',
    requires_desktop_app: false,
    happens: "a refresh refused with `source_internal_error` and `FDE-…`; the service's own: `disconnected`",
    behaviour: {
      refreshRefusal: {
        code: 'source_internal_error',
        usesBudget: true,
        details: { source_diagnostic_code: 'FDE-SITE_CHANGED' },
      },
    },
  },
  {
    id: 'ins_fde_desktop',
    source: 'FDE',
    name: 'First Fir Mutual',
    misbehaves: 'Needs desktop app',
    requires_desktop_app: true,
    happens: 'a refresh refused with `desktop_app_required`, no budget used',
    behaviour: {
      refreshRefusal: { code: 'desktop_app_required', usesBudget: false, trigger: 'desktop_app_missing' },
    },
  },
  {
    id: 'ins_fde_stops',
    source: 'FDE',
    name: 'First Fir Federal',
    misbehaves: 'Stops refreshing',
    requires_desktop_app: false,
    happens: "the service's own refresh fails: `disconnected`",
    behaviour: { ownRefreshError: 'source_internal_error' },
  },
  {
    id: 'ins_fde_choice',
    source: 'FDE',
    name: 'First Fir & Sons',
    misbehaves: 'Asks app route',
    requires_desktop_app: true,
    happens: 'a refresh refused with `desktop_app_route_choice`, no budget used',
    behaviour: { refreshRefusal: { code: 'desktop_app_route_choice', usesBudget: false } },
  },
]
