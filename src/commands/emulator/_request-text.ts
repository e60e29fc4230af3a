/** A request that the emulator answered, as lines for people. */
import type { LoggedRequest } from '../../emulator/log/request-log.ts'
import { safeBlock, safeText } from '../../output/safe-text.ts'

/** Of a path, in characters. */
const MAX_PATH = 200

/** `12:34:56 GET /v3/clients?limit=1 -> 200 3ms  sk_test_24af  <trace id>`, and its bodies below when they were asked for. */
export function requestText(request: LoggedRequest): string {
  const { at, method, path, status, ms, key_prefix, error_code, trace_id } = request
  const { request_body: received, response_body: sent } = request
  const shown = path.length > MAX_PATH ? `${path.slice(0, MAX_PATH)}…` : path
  const answer = [statusText(request), ...(status === null ? [] : [`${ms}ms`])].join(' ')
  const facts = [error_code, key_prefix, trace_id].filter((fact) => fact !== null)
  return [
    safeText([`${timeOf(at)} ${method} ${shown} -> ${answer}`, ...facts].join('  ')),
    ...(received ? [`  --> ${safeBlock(received)}`] : []),
    ...(sent ? [`  <-- ${safeBlock(sent)}`] : []),
  ].join('\n')
}

/** `200`, `no answer`, or `200 (cut short)`. */
export function statusText({ status, complete }: LoggedRequest): string {
  if (status === null) return 'no answer'
  return complete ? String(status) : `${status} (cut short)`
}

function timeOf(at: string): string {
  const date = new Date(at)
  const parts = [date.getHours(), date.getMinutes(), date.getSeconds()]
  return parts.map((part) => String(part).padStart(2, '0')).join(':')
}
