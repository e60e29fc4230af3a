/** Handlers of operations and verification reports. */
import type {
  operations as operationsContract,
  reports as reportsContract,
} from '../../contract/operations.ts'
import { notFound } from '../engine/errors.ts'
import { accepted, operationOnWire, startVerificationReport } from '../engine/operations.ts'
import { clientOf, type Handlers } from './handler.ts'

export const operations: Handlers<typeof operationsContract> = {
  get({ operation_id }, { engine, tenant }) {
    const row = engine.store.operations.get(tenant.seq, operation_id)
    if (!row) throw notFound('operation')
    return operationOnWire(row)
  },
}

export const reports: Handlers<typeof reportsContract> = {
  generate({ client_id }, call) {
    const { engine, tenant } = call
    return accepted(engine, startVerificationReport(engine, tenant.seq, clientOf(call, client_id).seq))
  },
}
