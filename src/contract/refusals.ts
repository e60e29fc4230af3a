/** Lists the error codes that an operation can answer with. */
import { authOf, type Endpoint, isFile, successOf } from './endpoint.ts'
import type { KnownErrorCode } from './errors.ts'

/** The codes of an operation: those that follow from its declaration, and its own. Each one's status is in `errorCodes`. */
export function refusalsOf(endpoint: Endpoint): KnownErrorCode[] {
  const { method, params = {}, query = {}, body, upload, paged, idempotencyKey } = endpoint
  const { body: success } = successOf(endpoint)
  // A page answers a browser, whatever it was asked; an invalid link is a page, too.
  if (isFile(success) && success.file.includes('text/html')) return []
  const auth = authOf(endpoint)
  const hasBody = body !== undefined || upload !== undefined
  const namesConnection = 'connection_id' in params || 'connection_id' in query
  const rows: readonly (readonly [KnownErrorCode, boolean])[] = [
    ['unknown_api_key', auth !== 'none'],
    ['insufficient_scope', endpoint.scope !== null],
    ['rate_limit_exceeded', auth !== 'none'],
    // A name that is not known is refused, too.
    ['validation_failed', true],
    // A cursor of another query, a placeholder id, a body that cannot be read, a rule of the operation.
    ['invalid_request', hasBody || paged === true || namesConnection],
    ['not_found', Object.keys(params).length > 0 || 'client_id' in query],
    ['idempotency_conflict', idempotencyKey === 'honoured'],
    ['request_in_progress', idempotencyKey === 'honoured'],
    ['length_required', method === 'POST'],
    ['payload_too_large', method === 'POST' || hasBody],
  ]
  return [...rows.flatMap(([code, applies]) => (applies ? [code] : [])), ...(endpoint.codes ?? [])]
}
