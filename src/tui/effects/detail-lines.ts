/** Renders an operation or a delivery with all its details, as lines that are safe to show. */
import type { Delivery, HeaderPair, RecordedForward } from '../../inbox/delivery-rows.ts'
import type { PolledOperation } from './facts.ts'

/** The rest of a body is in the inbox. */
const MAX_BODY_BYTES = 64 * 1024
const MAX_LINE_CHARACTERS = 2000

export function linesOfOperation(operation: PolledOperation, safe: (text: string) => string): string[] {
  const { error } = operation
  const summary = [
    `${operation.type}: ${operation.status}`,
    ...(error
      ? [
          '',
          `${error.code}: ${error.message}`,
          ...field('category', error.category),
          ...field('trace', error.trace_id),
          ...field('documentation', error.doc_url),
        ]
      : []),
    '',
  ]
  return safeLines([...summary, ...JSON.stringify(operation, null, 2).split('\n')], safe)
}

export function linesOfDelivery(delivery: Delivery, safe: (text: string) => string): string[] {
  const { type, eventId, verified, reason, detail, duplicate, replayOf } = delivery
  const verdict = verified
    ? ['verified', ...(duplicate ? ['duplicate'] : [])].join(', ')
    : `not verified (${reason})`
  return safeLines(
    [
      `${type ?? '(no type)'}  ${eventId ?? '(no event id)'}`,
      `received ${new Date(delivery.receivedAt).toISOString()}`,
      verdict,
      ...(detail === undefined ? [] : [detail]),
      ...(replayOf === undefined ? [] : [`sent again: delivery ${replayOf}`]),
      ...field('trace', traceOf(delivery.headers)),
      '',
      ...delivery.forwards.flatMap(linesOfForward),
      'Body',
      ...linesOfBody(delivery.body),
      '',
      `${delivery.method} ${delivery.path}`,
      ...linesOfHeaders(delivery.headers),
    ],
    safe,
  )
}

function linesOfForward({ url, status, durationMs, error, headers, body }: RecordedForward): string[] {
  return [
    `Target ${url}`,
    status === undefined
      ? `no answer: ${error ?? ''}`
      : `answered ${status} in ${Math.round(durationMs)} ms${error === undefined ? '' : `, ${error}`}`,
    ...linesOfHeaders(headers),
    ...linesOfBody(body),
    '',
  ]
}

function linesOfHeaders(headers: readonly HeaderPair[]): string[] {
  return headers.map(([name, value]) => `  ${name}: ${value}`)
}

function linesOfBody(body: Uint8Array): string[] {
  if (body.byteLength === 0) return ['  (empty)']
  const text = new TextDecoder().decode(body.subarray(0, MAX_BODY_BYTES))
  const cut = body.byteLength > MAX_BODY_BYTES ? [`  … ${body.byteLength} bytes in all`] : []
  return [...pretty(text).map((line) => `  ${line}`), ...cut]
}

function pretty(text: string): string[] {
  try {
    return JSON.stringify(JSON.parse(text), null, 2).split('\n')
  } catch {
    return text.split(/\r?\n/)
  }
}

function traceOf(headers: readonly HeaderPair[]): string | undefined {
  return headers.find(([name]) => /trace-?id$/i.test(name))?.[1]
}

function field(name: string, value: string | undefined): string[] {
  return value === undefined ? [] : [`${name}: ${value}`]
}

function safeLines(lines: readonly string[], safe: (text: string) => string): string[] {
  return lines.map((line) =>
    safe(line.length > MAX_LINE_CHARACTERS ? `${line.slice(0, MAX_LINE_CHARACTERS)}…` : line),
  )
}
