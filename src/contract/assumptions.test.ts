import { expect, it } from 'vitest'
import type { z } from 'zod'
import { assumedCodes, assumedEventFields, assumptions } from './assumptions.ts'
import { errorCodes } from './errors.ts'
import { events } from './events.ts'

/** The reference's table of codes, written out. */
const documented = [
  ...[
    'unknown_api_key',
    'insufficient_scope',
    'validation_failed',
    'invalid_request',
    'idempotency_conflict',
  ],
  ...[
    'rate_limit_exceeded',
    'refresh_partially_failed',
    'refresh_timed_out',
    'refresh_outcome_not_observable',
  ],
  ...[
    'no_refreshable_accounts',
    'refresh_not_supported',
    'credentials_invalid',
    'account_locked_by_institution',
  ],
  ...['institution_unavailable', 'mfa_required', 'source_internal_error', 'desktop_app_required'],
  ...['desktop_app_route_choice', 'firm_under_review', 'pairing_code_invalid', 'desktop_app_session_closed'],
  ...['desktop_service_unavailable', 'pairing_rate_limited'],
]

it('every code is one of the reference or listed as assumed, and every assumed one exists', () => {
  const assumed = Object.keys(assumedCodes)
  expect(Object.keys(errorCodes).sort()).toEqual([...documented, ...assumed].sort())
})

it('an assumed code says so where its condition is read', () => {
  for (const code of Object.keys(assumedCodes) as (keyof typeof assumedCodes)[])
    expect(errorCodes[code].condition).toContain('assumed')
})

it.each(Object.entries(assumedEventFields))(
  '%s has the fields that are listed as assumed',
  (type, fields) => {
    for (const path of fields) {
      const [name = '', field = ''] = path.split('.')
      const data = events[type as keyof typeof assumedEventFields].data as z.ZodObject
      expect((data.shape[name] as z.ZodObject).shape).toHaveProperty(field)
    }
  },
)

it('each assumption is listed once, with what the reference does say', () => {
  expect(new Set(assumptions.map(({ assumed }) => assumed)).size).toBe(assumptions.length)
  for (const { about, because } of assumptions) expect([about, because]).not.toContain('')
})
