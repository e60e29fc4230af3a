import { expect, test } from 'vitest'
import { type ConnectionStatus, connectionStatuses } from '../../contract/connections.ts'
import { type ConnectionTrigger, transition } from './connection-status.ts'

type Source = 'AGGREGATOR_A' | 'AGGREGATOR_B' | 'FDE'

/** The reference's rows, each by way of example: source, from, to, event. */
const rows: Record<ConnectionTrigger, [Source, ConnectionStatus, ConnectionStatus, string | null]> = {
  first_signal: ['AGGREGATOR_A', 'initiated', 'requires_action', 'connection.requires_action'],
  widget_finished: ['AGGREGATOR_B', 'requires_action', 'active', 'connection.active'],
  reauthorized: ['FDE', 'requires_action', 'active', 'connection.active'],
  recovered: ['AGGREGATOR_A', 'failed', 'active', 'connection.active'],
  credentials_rejected: ['AGGREGATOR_B', 'active', 'requires_action', 'connection.requires_action'],
  account_locked: ['AGGREGATOR_A', 'failed', 'requires_action', 'connection.requires_action'],
  desktop_app_missing: ['FDE', 'active', 'requires_action', 'connection.requires_action'],
  mfa_challenge: ['AGGREGATOR_A', 'active', 'requires_action', null],
  outage: ['FDE', 'active', 'failed', 'connection.failed'],
  reauthorize_failed: ['FDE', 'requires_action', 'failed', 'connection.failed'],
  deleted: ['AGGREGATOR_A', 'active', 'disconnected', 'connection.disconnected'],
  source_stopped: ['AGGREGATOR_B', 'active', 'disconnected', 'connection.disconnected'],
  own_refresh_failed: ['FDE', 'active', 'disconnected', 'connection.disconnected'],
  member_healthy: ['AGGREGATOR_B', 'disconnected', 'active', 'connection.active'],
}
const triggers = Object.keys(rows) as ConnectionTrigger[]

test.each(triggers)('%s leads to the status, and tells the event, of the reference', (trigger) => {
  const [source, from, to, event] = rows[trigger]
  expect(transition(trigger, from, source)).toEqual({ to, event })
})

test("the service's own refresh disconnects AGGREGATOR_A and FDE only, an MFA challenge is AGGREGATOR_A's", () => {
  expect(transition('own_refresh_failed', 'active', 'AGGREGATOR_B')).toBeUndefined()
  expect(transition('mfa_challenge', 'active', 'AGGREGATOR_B')).toBeUndefined()
  expect(transition('member_healthy', 'disconnected', 'FDE')).toBeUndefined()
})

test('only FDE banks ask for the desktop app', () => {
  expect(transition('desktop_app_missing', 'active', 'AGGREGATOR_A')).toBeUndefined()
})

test('no trigger leads back to initiated, and only the first signal leads from there to another state than disconnected', () => {
  for (const trigger of triggers) {
    for (const from of connectionStatuses) {
      const row = transition(trigger, from, 'AGGREGATOR_A')
      expect(row?.to).not.toBe('initiated')
      if (from === 'initiated' && row) expect(['first_signal', 'deleted']).toContain(trigger)
    }
  }
})
