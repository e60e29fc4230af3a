/** Renders what is stored about an operation, a delivery or a resource, as lines that are safe to show. */
import type { Delivery, HeaderPair, RecordedForward } from '../../inbox/delivery-rows.ts'
import type { DetailTab } from '../state/model.ts'
import { jsonLine, type Line, type Tone } from '../state/pieces.ts'
import type { PolledOperation } from './facts.ts'

export interface DetailText {
  readonly notes: readonly Line[]
  readonly tabs: readonly DetailTab[]
}

type Safe = (text: string) => string

/** The rest of a body is in the inbox. */
const MAX_BODY_BYTES = 64 * 1024
const MAX_LINE_CHARACTERS = 2000
/** Of one event, the newest. */
const MAX_ATTEMPTS = 100

export function textOfOperation(operation: PolledOperation, safe: Safe): DetailText {
  const { error } = operation
  const notes = [...field('category', error?.category, safe), ...field('trace', error?.trace_id, safe)]
  return { notes, tabs: [{ name: 'Operation', lines: linesOfJson(operation, safe) }] }
}

/** A resource as the service returned it. */
export function textOfRecord(record: object, safe: Safe): DetailText {
  return { notes: [], tabs: [{ name: 'Record', lines: linesOfJson(record, safe) }] }
}

/** A delivery; `attempts` are all of its event, it among them. */
export function textOfDelivery(delivery: Delivery, attempts: readonly Delivery[], safe: Safe): DetailText {
  const { detail, eventId, replayOf, headers, method, path, forwards, receivedAt } = delivery
  return {
    notes: [
      ...(detail === undefined ? [] : [said(detail, safe, delivery.verified ? 'plain' : 'bad')]),
      ...field('event', eventId, safe),
      ...field('received', new Date(receivedAt).toISOString(), safe),
      ...field('trace', traceOf(headers), safe),
      ...(replayOf === undefined ? [] : field('replay of', `delivery ${replayOf}`, safe)),
    ],
    tabs: [
      { name: 'Body', lines: linesOfBody(delivery.body, safe) },
      {
        name: 'Headers',
        lines: [said(`${method} ${path}`, safe, 'strong'), ...linesOfHeaders(headers, safe)],
      },
      {
        name: 'Answer',
        lines:
          forwards.length === 0
            ? [said('It was not forwarded.', safe, 'dim')]
            : forwards.flatMap((one) => linesOfForward(one, safe)),
      },
      {
        name: 'Attempts',
        lines: attempts.slice(-MAX_ATTEMPTS).flatMap((one) => linesOfAttempt(one, delivery.id, safe)),
      },
    ],
  }
}

/** A sentence, when there is nothing else. */
export function textOfSentence(sentence: string): DetailText {
  return { notes: [], tabs: [{ name: 'Detail', lines: [[{ text: sentence, tone: 'dim' }]] }] }
}

function linesOfForward(forward: RecordedForward, safe: Safe): Line[] {
  const { url, status, durationMs, error, headers, body } = forward
  return [
    said(`→ ${url}`, safe, 'strong'),
    answerOf(forward, safe),
    ...(status !== undefined && error !== undefined ? [said(error, safe, 'bad')] : []),
    ...linesOfHeaders(headers, safe),
    [],
    ...(status === undefined || durationMs < 0 ? [] : linesOfBody(body, safe)),
  ]
}

function answerOf({ status, durationMs, error }: RecordedForward, safe: Safe): Line {
  if (status === undefined) return said(`no answer: ${error ?? ''}`, safe, 'bad')
  const tone = status >= 200 && status < 300 ? 'good' : 'bad'
  return [
    { text: String(status), tone },
    { text: ` in ${Math.round(durationMs)} ms`, tone: 'dim' },
  ]
}

function linesOfAttempt(attempt: Delivery, shown: number, safe: Safe): Line[] {
  const { id, receivedAt, verified, reason, replayOf, forwards } = attempt
  const time = new Date(receivedAt).toISOString().slice(11, 19)
  const what =
    replayOf === undefined ? (verified ? 'received' : `not verified: ${reason ?? ''}`) : 'sent again'
  return [
    [
      { text: `${id === shown ? '>' : ' '} ${time}Z  `, tone: id === shown ? 'strong' : 'dim' },
      { text: safe(what), tone: verified ? 'plain' : 'bad' },
    ],
    ...forwards.map(
      (forward): Line => [
        { text: '    → ', tone: 'dim' },
        ...answerOf(forward, safe),
        { text: `  ${safe(forward.url)}`, tone: 'dim' },
      ],
    ),
  ]
}

function linesOfHeaders(headers: readonly HeaderPair[], safe: Safe): Line[] {
  return headers.map(([name, value]) => [
    { text: `${clipped(name, safe)}: `, tone: 'key' },
    { text: clipped(value, safe) },
  ])
}

function linesOfBody(body: Uint8Array, safe: Safe): Line[] {
  if (body.byteLength === 0) return [said('(empty)', safe, 'dim')]
  const text = new TextDecoder().decode(body.subarray(0, MAX_BODY_BYTES))
  const cut = body.byteLength > MAX_BODY_BYTES ? [said(`… ${body.byteLength} bytes in all`, safe, 'dim')] : []
  try {
    return [...linesOfJson(JSON.parse(text), safe), ...cut]
  } catch {
    return [...text.split(/\r?\n/).map((line) => said(line, safe)), ...cut]
  }
}

function linesOfJson(value: unknown, safe: Safe): Line[] {
  return (JSON.stringify(value, null, 2) ?? 'null').split('\n').map((line) => jsonLine(clipped(line, safe)))
}

function traceOf(headers: readonly HeaderPair[]): string | undefined {
  return headers.find(([name]) => /trace-?id$/i.test(name))?.[1]
}

function field(name: string, value: string | undefined, safe: Safe): Line[] {
  return value === undefined ? [] : [[{ text: `${name} `, tone: 'dim' }, { text: clipped(value, safe) }]]
}

function said(text: string, safe: Safe, tone: Tone = 'plain'): Line {
  return [{ text: clipped(text, safe), tone }]
}

function clipped(text: string, safe: Safe): string {
  return safe(text.length > MAX_LINE_CHARACTERS ? `${text.slice(0, MAX_LINE_CHARACTERS)}…` : text)
}
