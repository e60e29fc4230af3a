/** What a sync shows of a bank's capabilities, and the event when one of them really changes. */
import { type Capability, capabilities } from '../../contract/shapes.ts'
import type { ConnectionRow } from '../store/connections.ts'
import { observe, type Tracked } from './capabilities.ts'
import { connectionAt, errorFor, eventConnection, trackedOf } from './connections.ts'
import { day, type Engine, isoNow } from './engine.ts'
import { emit } from './events.ts'
import { behaviourOf } from './trouble.ts'

/** A flaky bank's balance fails in its first three syncs after the link and works from then on. */
export function observeBank(engine: Engine, row: ConnectionRow): void {
  const flaky = behaviourOf(row) === 'flaky' && row.syncs < 3
  for (const capability of capabilities) {
    if (trackedOf(row)[capability].status === 'unsupported') continue
    observeCapability(engine, row.seq, capability, flaky && capability === 'balance' ? 'failed' : 'succeeded')
  }
}

/** Takes an observation in; tells of a real change on an active Connection. */
export function observeCapability(
  engine: Engine,
  connection: number,
  capability: Capability,
  status: Tracked['status'],
): void {
  const row = connectionAt(engine, connection)
  const tracked = trackedOf(row)
  const { after, change } = observe(tracked[capability], {
    status,
    at: isoNow(engine),
    nextRefreshAfter: isoNow(engine, day),
    ...(status === 'failed' ? { error: errorFor(engine, 'source_internal_error') } : {}),
  })
  engine.store.connections.change(connection, {
    capabilities: JSON.stringify({ ...tracked, [capability]: after }),
  })
  if (!change || row.status !== 'active') return
  emit(engine, row.tenant, 'connection.capability_changed', {
    connection: eventConnection(row),
    change: { capability, ...change },
  })
}
