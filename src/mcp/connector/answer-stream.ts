/** Reads the messages of an answer, which is one body or a stream, and opens a stream again that breaks. */

import type { HttpAnswer } from '../../api/http.ts'
import type { Clock, Random } from '../../api/options.ts'
import { EventTooLarge, eventsOf, type StreamEvent } from './event-stream.ts'
import { MAX_MESSAGE_BYTES } from './messages.ts'
import type { Service } from './service.ts'

/** How often the stream of an answer is opened again without an event in between. */
const MAX_REOPENED = 3
/** The wait before the first time, doubled for each further one. */
const FIRST_DELAY_MS = 500
const MAX_DELAY_MS = 30_000

export interface AnswerStream {
  readonly service: Service
  readonly clock: Clock
  readonly random: Pick<Random, 'fraction'>
  /** How to open it, again after an event; undefined when that is not possible. */
  readonly opening: (lastEventId: string | undefined) => (() => Promise<HttpAnswer>) | undefined
  /** Takes a message; true ends the stream. */
  readonly take: (text: string) => Promise<boolean>
  /** The failure when it ends too early. */
  readonly cut: () => Error
  /** Whether it is opened again as often as it takes. */
  readonly endless: boolean
  readonly signal: AbortSignal
}

/** Reads messages until one ends the stream. Without a `first` answer the stream is opened. */
export async function follow(first: HttpAnswer | undefined, stream: AnswerStream): Promise<void> {
  const { service, opening, take, cut, endless, signal } = stream
  let answer = first
  let lastEventId: string | undefined
  let retryMs: number | undefined
  for (let failures = 0; ; failures++) {
    let failure: unknown = cut()
    try {
      answer ??= await opening(lastEventId)?.()
      for await (const event of eventsIn(answer, service)) {
        failures = 0
        lastEventId = event.lastEventId ?? lastEventId
        retryMs = event.retryMs ?? retryMs
        if (event.data !== '' && (await take(event.data))) return
      }
    } catch (error) {
      if (signal.aborted || !service.mayPass(error)) throw error
      // Opening a stream has been tried several times then.
      if (answer === undefined && !endless) throw error
      failure = error
    }
    answer = undefined
    if (opening(lastEventId) === undefined || (failures >= MAX_REOPENED && !endless)) throw failure
    await pause(failures, retryMs, stream)
  }
}

function pause(
  failures: number,
  retryMs: number | undefined,
  { clock, random, signal }: AnswerStream,
): Promise<void> {
  const backoff = Math.min(FIRST_DELAY_MS * 2 ** failures, MAX_DELAY_MS)
  return clock.sleep(retryMs ?? Math.round(backoff / 2 + (random.fraction() * backoff) / 2), signal)
}

/** What is in an answer: its JSON body, or the events of its stream. */
async function* eventsIn(answer: HttpAnswer | undefined, service: Service): AsyncGenerator<StreamEvent> {
  if (answer === undefined) return
  const { content } = answer
  if (content.kind === 'whole') {
    yield { data: new TextDecoder().decode(content.bytes), lastEventId: undefined, retryMs: undefined }
    throw notJsonRpc(service)
  }
  const [type = ''] = content.download.contentType.split(';')
  if (type.trim().toLowerCase() !== 'text/event-stream') {
    content.discard()
    throw service.unreadable(
      'wrong_type',
      `The service answered ${answer.status} with ${type}, which no connector does`,
    )
  }
  try {
    yield* eventsOf(content.download.body, MAX_MESSAGE_BYTES)
  } catch (error) {
    if (!(error instanceof EventTooLarge)) throw error
    throw service.unreadable('too_large', 'The service sent a message of more than 10 MB')
  } finally {
    content.discard()
  }
}

export function notJsonRpc(service: Service): Error {
  return service.unreadable('not_json', 'The service answered with something that is no response in JSON-RPC')
}
