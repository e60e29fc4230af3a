/** Operations, queued once and finished once; among them statement extraction and verification reports. */
import type { operationResults } from '../../contract/assumptions.ts'
import type { ApiError } from '../../contract/errors.ts'
import type { Operation } from '../../contract/operations.ts'
import { basePath } from '../../contract/service.ts'
import type { OperationAccepted } from '../../contract/shapes.ts'
import type { UploadedStatement } from '../files/statement-lines.ts'
import type { OperationRow } from '../store/operations.ts'
import { type Engine, isoNow, tenantOf } from './engine.ts'

export type OperationType = keyof typeof operationResults

/** Accepts an asynchronous call. */
export function queueOperation(
  engine: Engine,
  tenant: number,
  type: OperationType,
  connection: number | null = null,
): OperationRow {
  const { store, ids } = engine
  const id = `op_${ids.hex('operation', 24)}`
  return operationAt(
    engine,
    store.operations.add({ tenant, id, type, connection, created_at: isoNow(engine) }),
  )
}

/** Throws when it is gone: operations are never removed. */
export function operationAt({ store }: Pick<Engine, 'store'>, seq: number): OperationRow {
  const row = store.operations.bySeq(seq)
  if (!row) throw new Error(`no operation ${seq}`)
  return row
}

export type Result = { readonly kind: string } & Readonly<Record<string, unknown>>

/** Writes the result, a snapshot. An operation that has an outcome keeps the one it has. */
export function succeed(engine: Engine, operation: number, result: Result): void {
  const outcome = { status: 'succeeded', at: isoNow(engine), result: JSON.stringify(result) } as const
  engine.store.operations.finish(operation, outcome)
}

export function fail(engine: Engine, operation: number, error: ApiError): void {
  const outcome = { status: 'failed', at: isoNow(engine), error: JSON.stringify(error) } as const
  engine.store.operations.finish(operation, outcome)
}

/** The body of the `202`. `estimatedSeconds` is a best-effort floor. */
export function accepted(
  engine: Engine,
  operation: OperationRow,
  estimatedSeconds?: number,
): OperationAccepted {
  const origin = engine.origins[tenantOf(engine, operation.tenant).environment]
  return {
    operation_id: operation.id,
    status: 'queued',
    poll_url: `${origin}${basePath}/operations/${operation.id}`,
    ...(estimatedSeconds === undefined ? {} : { estimated_seconds: estimatedSeconds }),
  }
}

export function operationOnWire(row: OperationRow): Operation {
  return {
    id: row.id,
    type: row.type,
    status: row.status,
    created_at: row.created_at,
    ...(row.completed_at ? { completed_at: row.completed_at } : {}),
    ...(row.result ? { result: JSON.parse(row.result) as { kind: string } } : {}),
    ...(row.error ? { error: JSON.parse(row.error) as ApiError } : {}),
  }
}

/** Accepts an upload. Belongs to the customer, not to a Client. */
export function startExtraction(engine: Engine, tenant: number, file: UploadedStatement): OperationRow {
  return engine.store.db.transaction(() => {
    const operation = queueOperation(engine, tenant, 'statement.extraction')
    engine.schedule.add(engine.settings.extractionMs, {
      kind: 'extract_statement',
      operation: operation.seq,
      file,
    })
    return operation
  })
}

/** Job. Only `kind` of the result is documented; the rest is assumed. */
export function extractStatement(
  engine: Engine,
  operation: number,
  { name, lines }: UploadedStatement,
): void {
  const read = lines ?? { line_items: [] }
  succeed(engine, operation, { kind: 'statement_extraction', file_name: name, ...read })
}

export function startVerificationReport(engine: Engine, tenant: number, client: number): OperationRow {
  const operation = queueOperation(engine, tenant, 'verification_report.generation')
  engine.schedule.add(engine.settings.reportMs, {
    kind: 'verification_report',
    operation: operation.seq,
    client,
  })
  return operation
}

/** Job: the Client's balances as they are now. */
export function completeVerificationReport(engine: Engine, operation: number, client: number): void {
  const accounts = engine.store.accounts
    .list(client, { after: undefined, limit: Number.MAX_SAFE_INTEGER })
    .map(({ id, name, type, mask, iso_currency_code, current_balance }) => ({
      ...{ id, name, type, mask },
      iso_currency_code,
      current_balance,
    }))
  succeed(engine, operation, {
    kind: 'verification_report',
    generated_at: isoNow(engine),
    accounts,
  })
}
