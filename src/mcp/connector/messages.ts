/** JSON-RPC messages, as far as the bridge reads what it passes on. */

/** As much as the SDKs of the protocol read from a server's stdout at once, in bytes; more than that ends their connection. */
export const MAX_MESSAGE_BYTES = 10 * 2 ** 20 - 1

export type RequestId = string | number
type Fields = Readonly<Record<string, unknown>>

export interface McpRequest {
  readonly kind: 'request'
  readonly id: RequestId
  readonly method: string
  readonly params: Fields
}

export interface McpNotification {
  readonly kind: 'notification'
  readonly method: string
  readonly params: Fields
}

export interface McpResponse {
  readonly kind: 'response'
  /** Null in the error of a request whose id could not be read. */
  readonly id: RequestId | null
  readonly result: unknown
  readonly error: unknown
}

export type Message = McpRequest | McpNotification | McpResponse

/** JSON-RPC's own codes of errors. */
export const errorCodes = { parse: -32700, invalidRequest: -32600, internal: -32603 } as const

/** Where a request of revision 2026-07-28 names its revision. Those before it have none. */
const revisionKey = 'io.modelcontextprotocol/protocolVersion'

/** The message that a JSON value is; undefined when it is none. */
export function messageOf(value: unknown): Message | undefined {
  if (!isObject(value) || value['jsonrpc'] !== '2.0') return undefined
  const { id, method, result, error } = value
  if (typeof method === 'string') {
    const params = isObject(value['params']) ? value['params'] : {}
    if (id === undefined) return { kind: 'notification', method, params }
    return isId(id) ? { kind: 'request', id, method, params } : undefined
  }
  if (!isId(id) && !(error !== undefined && (id === null || id === undefined))) return undefined
  if ((result === undefined) === (error === undefined)) return undefined
  return { kind: 'response', id: id ?? null, result, error }
}

/** The revision that a message names; undefined before 2026-07-28, where the handshake settles it. */
export function revisionOf({ params }: McpRequest | McpNotification): string | undefined {
  const meta = params['_meta']
  const revision = isObject(meta) ? meta[revisionKey] : undefined
  return typeof revision === 'string' ? revision : undefined
}

/** 1 and "1" are different ids. */
export function keyOf(id: RequestId): string {
  return JSON.stringify(id)
}

export function errorResponse(id: RequestId | null, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })
}

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isId(value: unknown): value is RequestId {
  return typeof value === 'string' || typeof value === 'number'
}
