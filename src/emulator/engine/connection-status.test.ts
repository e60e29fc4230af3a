import { expect, test } from 'vitest'
import { connectionStatuses } from '../../contract/connections.ts'
import { type ConnectionTrigger, transition } from './connection-status.ts'

/** The reference's rows, written out: trigger, source, from, to, event. */
const rows: [ConnectionTrigger, 'AGGREGATOR_A' | 'AGGREGATOR_B' | 'FDE', string, string, string | null][] = [
  ['first_signal', 'AGGREGATOR_A', 'initiated', 'requires_action', 'connection.requires_action'],
  ['widget_finished', 'AGGREGATOR_B', 'requires_action', 'active', 'connection.active'],
  ['reauthorized', 'FDE', 'requires_action', 'active', 'connection.active'],
  ['recovered', 'AGGREGATOR_A', 'failed', 'active', 'connection.active'],
  ['credentials_rejected', 'AGGREGATOR_B', 'active', 'requires_action', 'connection.requires_action'],
  ['outage', 'FDE', 'active', 'failed', 'connection.failed'],
  ['reauthorize_failed', 'FDE', 'requires_action', 'failed', 'connection.failed'],
  ['deleted', 'AGGREGATOR_A', 'active', 'disconnected', 'connection.disconnected'],
  ['source_stopped', 'AGGREGATOR_B', 'active', 'disconnected', 'connection.disconnected'],
  ['own_refresh_failed', 'FDE', 'active', 'disconnected', 'connection.disconnected'],
  ['member_healthy', 'AGGREGATOR_B', 'disconnected', 'active', 'connection.active'],
  ['mfa_challenge', 'AGGREGATOR_A', 'active', 'requires_action', null],
]

test.each(rows)('%s on %s: from %s to %s with %s', (trigger, source, from, to, event) => {
  expect(transition(trigger, from as 'active', source)).toEqual({ to, event })
})

test("the service's own refresh disconnects AGGREGATOR_A and FDE only, an MFA challenge is AGGREGATOR_A's", () => {
  expect(transition('own_refresh_failed', 'active', 'AGGREGATOR_B')).toBeUndefined()
  expect(transition('mfa_challenge', 'active', 'AGGREGATOR_B')).toBeUndefined()
  expect(transition('member_healthy', 'disconnected', 'FDE')).toBeUndefined()
})

test('no trigger leads back to initiated, and only the first signal leads from there to another state than disconnected', () => {
  for (const [trigger] of rows) {
    for (const from of connectionStatuses) {
      const row = transition(trigger, from, 'AGGREGATOR_A')
      expect(row?.to).not.toBe('initiated')
      if (from === 'initiated' && row) expect(['first_signal', 'deleted']).toContain(trigger)
    }
  }
})
