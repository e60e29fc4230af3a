/** Statement extraction: an uploaded PDF in, an operation out; polling is the only completion signal. */
import type { OperationRow } from '../store/operations.ts'
import type { Engine } from './engine.ts'
import { queueOperation, succeed } from './operations.ts'

export interface UploadedStatement {
  readonly name: string
  readonly bytes: number
}

/** Accepts an upload. Belongs to the customer, not to a Client. */
export function startExtraction(engine: Engine, tenant: number, file: UploadedStatement): OperationRow {
  return engine.store.db.transaction(() => {
    const operation = queueOperation(engine, tenant, 'statement.extraction')
    engine.agenda.add(engine.settings.extractionMs, {
      kind: 'extract_statement',
      operation: operation.seq,
      file,
    })
    return operation
  })
}

/** Job. Only `kind` of the result is documented; the rest is assumed, and no line is read from the file. */
export function extractStatement(engine: Engine, operation: number, file: UploadedStatement): void {
  succeed(engine, operation, { kind: 'statement_extraction', file_name: file.name, line_items: [] })
}
