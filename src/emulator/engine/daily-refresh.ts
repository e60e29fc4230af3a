/** The service's own refresh of every linked bank, once a day. */
import { changeStatus, connectionAt, errorFor } from './connections.ts'
import { refreshDailyFromNow } from './daily-agenda.ts'
import type { Engine } from './engine.ts'
import { startSync } from './refresh.ts'
import { refusalOf } from './refresh-refusals.ts'
import { behaviourOf } from './trouble.ts'

/** Job: finds out how a bank is doing and puts the next day's on the agenda. */
export function refreshDaily(engine: Engine, connection: number): void {
  const row = connectionAt(engine, connection)
  // Access ended: nothing is refreshed any more, until a reauthorize begins anew.
  if (row.status === 'disconnected') return
  if (behaviourOf(row) === 'stops') {
    changeStatus(engine, row, 'own_refresh_failed', errorFor(engine, 'source_internal_error'))
    return
  }
  refreshDailyFromNow(engine, connection)
  if (row.status === 'failed') changeStatus(engine, row, 'recovered')
  const after = connectionAt(engine, connection)
  // What only the user can repair waits for the user.
  if (after.status !== 'active' || refusalOf(after, behaviourOf(after))) return
  startSync(engine, after)
}
