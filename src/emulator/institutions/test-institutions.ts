/** The test institutions: each behaves in one way that the reference describes. docs/emulator.md lists them. */
import type { ConnectionSource } from '../../contract/shapes.ts'
import { memberStatusChanges } from '../engine/connection-status.ts'
import { type InstitutionBehaviour, lockedBehaviour } from './behaviour.ts'

export interface TestInstitution {
  readonly id: string
  readonly source: ConnectionSource
  readonly name: string
  /** FDE only, and only where known. */
  readonly requires_desktop_app?: boolean
  /** Where it differs from an ordinary institution. */
  readonly behaviour?: Partial<InstitutionBehaviour>
}

const securityQuestion = 'What was the name of your first school?'

/** In the order in which lists show them. */
export const testInstitutions: readonly TestInstitution[] = [
  { id: 'ins_a_ok', source: 'AGGREGATOR_A', name: 'Alder Bank' },
  {
    id: 'ins_a_mfa',
    source: 'AGGREGATOR_A',
    name: 'Alder Bank (asks a security question)',
    behaviour: {
      securityQuestion,
      afterLinking: { trigger: 'mfa_challenge', error: 'mfa_required' },
      hasRecovered: () => false,
    },
  },
  {
    id: 'ins_a_silent',
    source: 'AGGREGATOR_A',
    name: 'Alder Bank (never reports)',
    behaviour: { accountReport: () => 'none' },
  },
  {
    id: 'ins_a_down',
    source: 'AGGREGATOR_A',
    name: 'Alder Bank (unavailable)',
    behaviour: { afterLinking: { trigger: 'outage', error: 'institution_unavailable' } },
  },
  {
    id: 'ins_a_moved',
    source: 'AGGREGATOR_A',
    name: 'Alder Bank (moved to another provider)',
    behaviour: { movedTo: 'ins_b_ok' },
  },
  {
    id: 'ins_a_stops',
    source: 'AGGREGATOR_A',
    name: 'Alder Bank (stops refreshing)',
    behaviour: { ownRefreshError: 'source_internal_error' },
  },
  { id: 'ins_b_ok', source: 'AGGREGATOR_B', name: 'Birch Savings' },
  {
    id: 'ins_b_denied',
    source: 'AGGREGATOR_B',
    name: 'Birch Savings (denies the sign-in)',
    behaviour: { afterLinking: memberStatusChanges.DENIED, hasRecovered: () => false },
  },
  {
    id: 'ins_b_locked',
    source: 'AGGREGATOR_B',
    name: 'Birch Savings (locks the account)',
    behaviour: lockedBehaviour,
  },
  {
    id: 'ins_b_closed',
    source: 'AGGREGATOR_B',
    name: 'Birch Savings (closes the login)',
    behaviour: { afterLinking: memberStatusChanges.CLOSED },
  },
  {
    id: 'ins_b_partial',
    source: 'AGGREGATOR_B',
    name: 'Birch Savings (one account fails)',
    behaviour: { accountReport: (_connection, last) => (last ? 'failed' : 'succeeded') },
  },
  {
    id: 'ins_b_flaky',
    source: 'AGGREGATOR_B',
    name: 'Birch Savings (fails, then recovers)',
    behaviour: {
      // Failing is believed after three observations.
      observedCapability: ({ syncs }, capability) =>
        capability === 'balance' && syncs < 3 ? 'failed' : 'succeeded',
    },
  },
  { id: 'ins_fde_ok', source: 'FDE', name: 'First Fir Bank', requires_desktop_app: false },
  {
    id: 'ins_fde_mfa',
    source: 'FDE',
    name: 'First Fir Bank (asks a security question)',
    requires_desktop_app: false,
    behaviour: { securityQuestion, refreshRefusal: { code: 'mfa_required', usesBudget: true } },
  },
  {
    id: 'ins_fde_refused',
    source: 'FDE',
    name: 'First Fir Bank (refuses the refresh)',
    requires_desktop_app: false,
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
    name: 'First Fir Bank (needs the desktop app)',
    requires_desktop_app: true,
    behaviour: {
      refreshRefusal: { code: 'desktop_app_required', usesBudget: false, trigger: 'desktop_app_missing' },
    },
  },
  {
    id: 'ins_fde_stops',
    source: 'FDE',
    name: 'First Fir Bank (stops refreshing)',
    requires_desktop_app: false,
    behaviour: { ownRefreshError: 'source_internal_error' },
  },
  {
    id: 'ins_fde_choice',
    source: 'FDE',
    name: 'First Fir Bank (asks for the desktop app route)',
    requires_desktop_app: true,
    behaviour: { refreshRefusal: { code: 'desktop_app_route_choice', usesBudget: false } },
  },
]
