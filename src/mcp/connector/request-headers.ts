/**
 * The headers that Streamable HTTP wants beside a message. Revision 2026-07-28 repeats in them what the message says, so that
 * a gateway need not read it; those before it name the session and the revision of the handshake.
 */
import { isObject, type Message, revisionOf } from './messages.ts'

/** Which parameter of a method `Mcp-Name` repeats. */
const nameSources: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
}

/** The handshake before 2026-07-28. */
export interface Handshake {
  readonly sessionId: string | undefined
  readonly revision: string | undefined
}

/** An argument of a tool that a header repeats. */
interface ParamHeader {
  readonly path: readonly string[]
  readonly name: string
}

export class RequestHeaders {
  /** What `tools/list` said, by the name of the tool. */
  readonly #paramHeaders = new Map<string, readonly ParamHeader[]>()
  #lastRevision: string | undefined

  for(message: Message, handshake: Handshake | undefined): Record<string, string> {
    if (message.kind === 'response') return handshakeHeaders(handshake)
    const named = revisionOf(message)
    if (named !== undefined) this.#lastRevision = named
    // Notifications need not name their revision.
    const revision = named ?? (handshake === undefined ? this.#lastRevision : undefined)
    // The handshake of a session has no session yet.
    if (message.method === 'initialize' && named === undefined) return {}
    if (revision === undefined) return handshakeHeaders(handshake)
    const { method, params } = message
    const source = Object.hasOwn(nameSources, method) ? params[nameSources[method] ?? ''] : undefined
    return {
      'Mcp-Protocol-Version': fieldValue(revision),
      'Mcp-Method': fieldValue(method),
      ...(typeof source === 'string' ? { 'Mcp-Name': fieldValue(source) } : {}),
      ...(method === 'tools/call' ? this.#paramsOf(params) : {}),
    }
  }

  /** Notes which arguments of tools are repeated in headers (`x-mcp-header`), from a result of tools/list. */
  learn(result: unknown): void {
    const tools = isObject(result) && Array.isArray(result['tools']) ? result['tools'] : []
    for (const tool of tools) {
      if (isObject(tool) && typeof tool['name'] === 'string') {
        this.#paramHeaders.set(tool['name'], paramHeadersIn(tool['inputSchema'], []))
      }
    }
  }

  #paramsOf(params: Readonly<Record<string, unknown>>): Record<string, string> {
    const found = this.#paramHeaders.get(String(params['name'])) ?? []
    return Object.fromEntries(
      found.flatMap(({ path, name }) => {
        const value = path.reduce<unknown>(
          (at, key) => (isObject(at) ? at[key] : undefined),
          params['arguments'],
        )
        const sendable = ['string', 'boolean'].includes(typeof value) || Number.isSafeInteger(value)
        return sendable ? [[`Mcp-Param-${name}`, fieldValue(String(value))]] : []
      }),
    )
  }
}

export function handshakeHeaders(handshake: Handshake | undefined): Record<string, string> {
  return {
    ...(handshake?.sessionId === undefined ? {} : { 'Mcp-Session-Id': handshake.sessionId }),
    ...(handshake?.revision === undefined ? {} : { 'Mcp-Protocol-Version': fieldValue(handshake.revision) }),
  }
}

function paramHeadersIn(schema: unknown, path: readonly string[]): ParamHeader[] {
  if (!isObject(schema)) return []
  const name = schema['x-mcp-header']
  const own = typeof name === 'string' && /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name) ? [{ path, name }] : []
  const properties = isObject(schema['properties']) ? Object.entries(schema['properties']) : []
  return [...own, ...properties.flatMap(([key, child]) => paramHeadersIn(child, [...path, key]))]
}

/** A value as a header carries it: printable ASCII as it is, anything else in base64 between the protocol's marks. */
function fieldValue(text: string): string {
  const marked = text.startsWith('=?base64?') && text.endsWith('?=')
  if (/^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/.test(text) && !marked) return text
  return `=?base64?${Buffer.from(text).toString('base64')}?=`
}
