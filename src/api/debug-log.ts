/**
 * Formats the lines of `--debug`: each request and its answer, without secrets. Bodies are never shown, of headers only
 * those listed here, of an address neither session ids nor tokens.
 */
import { type HttpAnswer, header } from './http.ts'

const shownHeaders = [
  'content-type',
  'content-length',
  'content-encoding',
  'retry-after',
  'idempotent-replayed',
]

/** Names of parameters whose values are secret. */
const secretName = /^(sid|.*token.*|.*secret.*|.*signature.*|.*password.*|.*credential.*|.*api_?key)$/i

/** Parameters of a path as a log may show them. */
export function masked(params: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, secretName.test(name) ? '***' : value]),
  )
}

/** A target (path and query) with the values of secret query parameters hidden. */
export function maskedTarget(target: string): string {
  const [path = '', query] = target.split('?', 2)
  if (query === undefined) return path
  const shown = query.split('&').map((pair) => {
    const name = pair.split('=', 1)[0] ?? ''
    return secretName.test(safeDecode(name)) ? `${name}=***` : pair
  })
  return `${path}?${shown.join('&')}`
}

export function requestLine(request: { method: string; url: string; attempt: number }): string {
  const again = request.attempt > 1 ? ` (attempt ${request.attempt})` : ''
  return printable(`--> ${request.method} ${request.url}${again}`)
}

export function replyLine(reply: Pick<HttpAnswer, 'status' | 'headers' | 'traceId'>, ms: number): string {
  const shown = shownHeaders.flatMap((name) => {
    const value = header(reply.headers, name)
    return value === undefined ? [] : [`${name}=${value}`]
  })
  const trace = reply.traceId === undefined ? [] : [`trace=${reply.traceId}`]
  return printable([`<-- ${reply.status} in ${Math.round(ms)} ms`, ...trace, ...shown].join(' '))
}

export function failureLine(failure: unknown, ms: number): string {
  const reason = failure instanceof Error && 'reason' in failure ? ` (${String(failure.reason)})` : ''
  const text = failure instanceof Error ? failure.message : 'aborted'
  return printable(`<-- failed after ${Math.round(ms)} ms: ${text}${reason}`)
}

/** Header values and addresses come from outside: only printable ASCII reaches the terminal. */
function printable(line: string): string {
  return line.replaceAll(/[^\x20-\x7e]/g, '?')
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
