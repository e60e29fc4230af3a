/** Verification reports: the reference names them without showing them, so the result is assumed. */
import type { OperationRow } from '../store/operations.ts'
import { type Engine, isoNow } from './engine.ts'
import { queueOperation, succeed } from './operations.ts'

export function startVerificationReport(engine: Engine, tenant: number, client: number): OperationRow {
  const operation = queueOperation(engine, tenant, 'verification_report.generation')
  engine.agenda.add(engine.settings.reportMs, {
    kind: 'verification_report',
    operation: operation.seq,
    client,
  })
  return operation
}

/** Job: the Client's balances as they are now. */
export function completeVerificationReport(engine: Engine, operation: number, client: number): void {
  const accounts = engine.store.accounts
    .list(client, { after: undefined, limit: 500 })
    .map(({ id, type, iso_currency_code, current_balance }) => ({
      id,
      type,
      iso_currency_code,
      current_balance,
    }))
  succeed(engine, operation, {
    kind: 'verification_report',
    generated_at: isoNow(engine),
    accounts,
  })
}
