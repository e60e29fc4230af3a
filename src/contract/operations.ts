import * as z from 'zod'
import { endpoint } from './endpoint.ts'
import { ApiError } from './errors.ts'
import { ClientId, OperationId } from './ids.ts'
import { DateTime, OperationAccepted } from './shapes.ts'

export const operationStatuses = ['queued', 'succeeded', 'failed'] as const
const OperationStatus = z.enum(operationStatuses)
export type OperationStatus = z.infer<typeof OperationStatus>

/** The progress of an asynchronous call. */
export const Operation = z.looseObject({
  id: OperationId,
  /** Open vocabulary, for example `account.refresh`, `connection.initiate`. */
  type: z.string(),
  status: OperationStatus,
  created_at: DateTime,
  /** Absent while `queued`. */
  completed_at: DateTime.optional(),
  /** Populated when `succeeded`; `kind` says of what. */
  result: z.looseObject({ kind: z.string() }).optional(),
  /** Populated when `failed`. */
  error: ApiError.optional(),
})
export type Operation = z.infer<typeof Operation>

export const operations = {
  get: endpoint({
    method: 'GET',
    path: '/operations/{operation_id}',
    summary: 'Show an operation',
    params: { operation_id: OperationId },
    success: { 200: Operation },
    scope: null,
    retry: 'safe',
    origin: 'documented',
    assumes: 'that any key may read an operation of its customer',
  }),
}

export const reports = {
  generate: endpoint({
    method: 'POST',
    path: '/clients/{client_id}/verification-reports',
    summary: 'Generate a verification report',
    params: { client_id: ClientId },
    success: { 202: OperationAccepted },
    scope: 'read:accounts',
    retry: 'if-refused',
    origin: 'assumed',
    assumes: 'method, path, no body, scope',
  }),
}
