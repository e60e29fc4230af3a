/** The rows a path names, within what the caller owns; `not_found` for anything else. */
import { notFound } from '../engine/problem.ts'
import type { AccountRow } from '../store/accounts.ts'
import type { ClientRow } from '../store/clients.ts'
import type { ConnectionRow } from '../store/connections.ts'
import type { SubscriptionRow } from '../store/subscriptions.ts'
import type { KeyCall } from './handler.ts'

export function clientOf({ engine, tenant }: KeyCall, id: string): ClientRow {
  const row = engine.store.clients.get(tenant.seq, id)
  if (!row) throw notFound('Client')
  return row
}

export function connectionOf({ engine, tenant }: KeyCall, id: string): ConnectionRow {
  const row = engine.store.connections.get(tenant.seq, id)
  if (!row) throw notFound('Connection')
  return row
}

/** Resolved within its Client: another Client's account reads as not found. */
export function accountOf({ engine, tenant }: KeyCall, client: string, id: string): AccountRow {
  const row = engine.store.accounts.get(tenant.seq, client, id)
  if (!row) throw notFound('account')
  return row
}

export function subscriptionOf({ engine, tenant }: KeyCall, id: string): SubscriptionRow {
  const row = engine.store.subscriptions.get(tenant.seq, id)
  if (!row) throw notFound('webhook subscription')
  return row
}
