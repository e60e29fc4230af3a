/**
 * The bridge's side towards the service: posts messages with the headers of their era, passes on what comes for them, and begins
 * a session anew that the service has forgotten.
 */

import type { HttpAnswer } from '../../api/http.ts'
import type { Clock, Random } from '../../api/options.ts'
import { follow, notJsonRpc } from './answer-stream.ts'
import {
  isObject,
  keyOf,
  type McpNotification,
  type McpRequest,
  type McpResponse,
  type Message,
  messageOf,
  revisionOf,
} from './messages.ts'
import { type Handshake, handshakeHeaders, RequestHeaders } from './request-headers.ts'
import type { Service } from './service.ts'

/** Methods that change nothing, or the same when they are repeated. A call of a tool may do anything. */
const repeatable = new Set([
  'ping',
  'initialize',
  'server/discover',
  'tools/list',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'completion/complete',
  'logging/setLevel',
  'subscriptions/listen',
])

/** For the end of a session, which the service may also find out by itself. */
const FAREWELL_MS = 500

export interface ConnectionOptions {
  readonly service: Service
  readonly clock: Clock
  readonly random: Pick<Random, 'fraction'>
  /** Takes a message of the service, as it came. */
  readonly onMessage: (text: string) => Promise<void>
  /** Called with what went wrong outside of any request. */
  readonly onTrouble: (error: unknown) => void
  /** Called with a sentence about the connection. */
  readonly onEvent: (sentence: string) => void
  /** Ends everything. */
  readonly signal: AbortSignal
}

/** A handshake that the service accepted, with what it takes to repeat it. */
interface Session extends Handshake {
  readonly request: McpRequest
  readonly requestBytes: Uint8Array
  initializedBytes?: Uint8Array
  /** Ends the stream of the service's own messages. */
  readonly listening: AbortController
}

export class Connection {
  readonly #options: ConnectionOptions
  readonly #headers = new RequestHeaders()
  #session: Session | undefined
  #renewal: Promise<void> | undefined
  /** Settles when the service knows that the client is ready for it. */
  #initialized: Promise<unknown> = Promise.resolve()

  constructor(options: ConnectionOptions) {
    this.#options = options
  }

  /** Passes on what the service sends for a request, until its response. Rejects when there is none. */
  async request(message: McpRequest, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    await this.#initialized
    await this.#exchange(message, bytes, signal, this.#options.onMessage)
  }

  /** Posts a message that has no response. */
  async notify(message: McpNotification | McpResponse, bytes: Uint8Array): Promise<void> {
    const posted = this.#postAlone(message, bytes)
    if (message.kind === 'notification' && message.method === 'notifications/initialized') {
      this.#initialized = posted.catch(() => {})
      await posted
      if (this.#session) {
        this.#session.initializedBytes = bytes
        void this.#listen(this.#session)
      }
    }
    await posted
  }

  /** Ends the session. Waits for the service for a moment only. */
  async end(): Promise<void> {
    const session = this.#session
    if (session?.sessionId === undefined) return
    const { service } = this.#options
    const headers = handshakeHeaders(session)
    const request = { method: 'DELETE', shown: '(end of the session)', headers, repeats: 'never' } as const
    await service.send(request, AbortSignal.timeout(FAREWELL_MS)).then(discard, () => {})
  }

  async #postAlone(message: McpNotification | McpResponse, bytes: Uint8Array): Promise<void> {
    const answer = await this.#post(message, bytes, this.#options.signal)
    await this.#options.service.assertSuccess(answer)
    discard(answer)
  }

  async #exchange(
    message: McpRequest,
    bytes: Uint8Array,
    signal: AbortSignal,
    pass: (text: string) => Promise<void>,
  ): Promise<void> {
    let answer: HttpAnswer
    const post = async () => {
      answer = await this.#usable(await this.#post(message, bytes, signal))
      return answer
    }
    const resumable = revisionOf(message) === undefined
    const safe = repeatable.has(message.method)
    await follow(await post(), {
      ...this.#options,
      opening: (lastEventId) => {
        if (resumable && lastEventId !== undefined) return () => this.#resume(lastEventId, safe, signal)
        return safe ? post : undefined
      },
      take: (text) => this.#take(message, bytes, text, answer, pass),
      cut: () => this.#cut(safe),
      endless: message.method === 'subscriptions/listen',
      signal,
    })
  }

  /** @throws ApiResponseError or UnreadableResponseError for an answer that is neither a success nor a JSON-RPC error. */
  async #usable(answer: HttpAnswer): Promise<HttpAnswer> {
    if (answer.status === 401 || !isErrorResponse(answer)) await this.#options.service.assertSuccess(answer)
    return answer
  }

  /** Posts a message; once more, in a new session, when the service has forgotten the one it had. */
  async #post(message: Message, bytes: Uint8Array, signal: AbortSignal): Promise<HttpAnswer> {
    const { service } = this.#options
    const session = this.#session
    const shown = message.kind === 'response' ? '(response)' : message.method
    const repeats = message.kind === 'request' && repeatable.has(message.method) ? 'safe' : 'if-refused'
    const send = () => {
      const headers = this.#headers.for(message, this.#session)
      return service.send({ method: 'POST', shown, headers, body: bytes, repeats }, signal)
    }
    const answer = await send()
    if (answer.status !== 404 || session?.sessionId === undefined || !isOfSession(message)) return answer
    await this.#renew(session)
    return send()
  }

  async #renew(forgotten: Session): Promise<void> {
    if (this.#session === forgotten) this.#renewal ??= this.#handshakeAgain(forgotten)
    await this.#renewal?.finally(() => {
      this.#renewal = undefined
    })
  }

  async #handshakeAgain({ request, requestBytes, initializedBytes, listening }: Session): Promise<void> {
    listening.abort()
    this.#options.onEvent('The service has forgotten the session: a new one is begun')
    await this.#exchange(request, requestBytes, this.#options.signal, async () => {})
    if (initializedBytes === undefined) return
    await this.notify(
      { kind: 'notification', method: 'notifications/initialized', params: {} },
      initializedBytes,
    )
  }

  /** Reads the stream of what the service sends of its own accord, where it has one. */
  async #listen(session: Session): Promise<void> {
    const { service, onTrouble, onMessage } = this.#options
    const signal = AbortSignal.any([session.listening.signal, this.#options.signal])
    const open = async (lastEventId: string | undefined) => {
      const answer = await this.#get(lastEventId, signal)
      // It has forgotten the session, which the next request begins anew, or it has no such stream.
      if (answer.status === 404 || answer.status === 405) session.listening.abort()
      signal.throwIfAborted()
      await service.assertSuccess(answer)
      return answer
    }
    const take = async (text: string) => {
      if (messageOf(parsed(text)) === undefined) onTrouble(notJsonRpc(this.#options.service))
      else await onMessage(text)
      return false
    }
    try {
      const opening = (lastEventId: string | undefined) => () => open(lastEventId)
      await follow(undefined, {
        ...this.#options,
        opening,
        take,
        cut: () => this.#cut(true),
        endless: true,
        signal,
      })
    } catch (error) {
      if (!signal.aborted) onTrouble(error)
    }
  }

  async #resume(lastEventId: string, safe: boolean, signal: AbortSignal): Promise<HttpAnswer> {
    const answer = await this.#get(lastEventId, signal)
    if (answer.status === 401) await this.#options.service.assertSuccess(answer)
    if (answer.status < 200 || answer.status >= 300) throw this.#cut(safe)
    return answer
  }

  #get(lastEventId: string | undefined, signal: AbortSignal): Promise<HttpAnswer> {
    const headers = {
      Accept: 'text/event-stream',
      ...handshakeHeaders(this.#session),
      ...(lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId }),
    }
    const shown = lastEventId === undefined ? '(stream)' : '(stream, resumed)'
    return this.#options.service.send({ method: 'GET', shown, headers, repeats: 'safe' }, signal)
  }

  /** Passes on a message that came for a request. Returns whether it was the response. */
  async #take(
    request: McpRequest,
    bytes: Uint8Array,
    text: string,
    { headers }: HttpAnswer,
    pass: (text: string) => Promise<void>,
  ): Promise<boolean> {
    const value = parsed(text)
    const message = messageOf(value)
    if (message === undefined) throw notJsonRpc(this.#options.service)
    if (message.kind !== 'response') {
      await pass(text)
      return false
    }
    const { id, result } = message
    // The response to another request is nobody's.
    if (id !== null && keyOf(id) !== keyOf(request.id)) return false
    if (request.method === 'tools/list') this.#headers.learn(result)
    if (request.method === 'initialize' && result !== undefined) {
      const revision = isObject(result) ? result['protocolVersion'] : undefined
      const sessionId = headers['mcp-session-id']
      this.#session?.listening.abort()
      this.#session = {
        sessionId: typeof sessionId === 'string' ? sessionId : undefined,
        revision: typeof revision === 'string' ? revision : undefined,
        request,
        requestBytes: bytes,
        listening: new AbortController(),
      }
    }
    await pass(id === null ? JSON.stringify({ ...(value as object), id: request.id }) : text)
    return true
  }

  #cut(safe: boolean): Error {
    return this.#options.service.unreadable(
      'cut',
      'The service ended its answer before the response',
      safe ? 'Try again later' : 'It may have been done all the same: look before you try again',
    )
  }
}

/** Whether the service may answer that it does not know the session of a message. */
function isOfSession(message: Message): boolean {
  if (message.kind === 'response') return true
  const opens = ['initialize', 'notifications/initialized'].includes(message.method)
  return !opens && revisionOf(message) === undefined
}

function isErrorResponse({ content }: HttpAnswer): boolean {
  if (content.kind !== 'whole') return false
  const message = messageOf(parsed(new TextDecoder().decode(content.bytes)))
  return message?.kind === 'response' && message.error !== undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function discard({ content }: HttpAnswer): void {
  if (content.kind === 'stream') content.discard()
}
