/**
 * Passes JSON-RPC messages between stdin and stdout and the service's own connector, which speaks Streamable HTTP, in both eras
 * of the protocol: with the handshake of 2025-11-25 and before, and without one since 2026-07-28. Stdout has messages only.
 */
import type { Readable, Writable } from 'node:stream'
import { escapeInJson } from '../../output/safe-text.ts'
import { createSink } from '../../output/sink.ts'
import { Connection, type ConnectionOptions } from './connection.ts'
import { linesOf } from './lines.ts'
import {
  errorCodes,
  errorResponse,
  isId,
  isObject,
  keyOf,
  MAX_MESSAGE_BYTES,
  type McpNotification,
  type McpRequest,
  type Message,
  messageOf,
  type RequestId,
  revisionOf,
} from './messages.ts'

/** Requests that wait for their response at the same time: each has a connection of its own. */
const MAX_PENDING = 100

export interface BridgeOptions extends Pick<ConnectionOptions, 'service' | 'clock' | 'random'> {
  /** Left out of what the service says, should it repeat it. */
  readonly apiKey: string
  /** A failure in a sentence, safe for a terminal and without secrets. */
  readonly describe: (error: unknown) => string
  readonly stdin: Readable
  readonly stdout: Writable
  /** Ends the bridge, as the end of stdin does: at once, whatever is under way. */
  readonly signal: AbortSignal
  /** Takes a sentence for stderr, safe for a terminal and without secrets. */
  readonly onEvent: (sentence: string) => void
}

/** A request that waits for its response. */
interface Pending {
  readonly request: McpRequest
  readonly controller: AbortController
}

/**
 * Runs until stdin ends, the signal aborts or the reader of stdout goes away. What cannot be passed on is answered with an
 * error whose message says why.
 * @throws what stdout fails with otherwise
 */
export async function bridge(options: BridgeOptions): Promise<void> {
  const { service, apiKey, stdin, stdout, describe, onEvent } = options
  const ending = new AbortController()
  const pending = new Map<string, Pending>()
  const tasks = new Set<Promise<void>>()
  const end = () => ending.abort()
  options.signal.addEventListener('abort', end, { once: true })
  if (options.signal.aborted) end()
  stdout.once('close', end)
  // A stream that somebody waits for does not end by itself.
  ending.signal.addEventListener('abort', () => stdin.destroy(), { once: true })

  const sink = createSink(stdout, 1, ending.signal)
  let failure: unknown
  let written: Promise<void> = Promise.resolve()
  /** One message at a time, no faster than its reader takes them. */
  const write = (line: string): Promise<void> => {
    written = written
      .then(() => sink.write(`${line}\n`))
      .catch((error: unknown) => {
        failure ??= error
        end()
      })
      .then(() => {
        if (sink.closed) end()
      })
    return written
  }
  const tell = (error: unknown): string => {
    const sentence = describe(error)
    onEvent(sentence)
    return sentence
  }
  const refuse = (id: RequestId | null, code: number, sentence: string): Promise<void> => {
    onEvent(sentence)
    return write(errorResponse(id, code, sentence))
  }

  const connection = new Connection({
    ...options,
    signal: ending.signal,
    onTrouble: tell,
    async onMessage(text) {
      // A line break is white space in JSON, and the end of a message here.
      const line = escapeInJson(withoutKey(text.replaceAll(/[\r\n]+/g, ' '), apiKey))
      if (Buffer.byteLength(line) > MAX_MESSAGE_BYTES) {
        throw service.unreadable('too_large', 'The service sent a message of more than 10 MB')
      }
      await write(line)
    },
  })

  const ask = async (request: McpRequest, bytes: Uint8Array): Promise<void> => {
    const { id } = request
    const key = keyOf(id)
    if (pending.has(key)) {
      return refuse(
        id,
        errorCodes.invalidRequest,
        `The id ${key.slice(0, 100)} is that of a request under way`,
      )
    }
    if (pending.size >= MAX_PENDING) {
      return refuse(id, errorCodes.internal, `More than ${MAX_PENDING} requests at once are not passed on`)
    }
    const controller = new AbortController()
    pending.set(key, { request, controller })
    try {
      await connection.request(request, bytes, controller.signal)
    } catch (error) {
      if (controller.signal.aborted) return
      await write(errorResponse(id, errorCodes.internal, tell(error)))
    } finally {
      pending.delete(key)
    }
  }

  /** Before 2026-07-28 the service is told; since then the end of the request's connection says it. */
  const cancel = async (notification: McpNotification, bytes: Uint8Array): Promise<void> => {
    const { requestId } = notification.params
    const found = isId(requestId) ? pending.get(keyOf(requestId)) : undefined
    // It has been answered: there is nothing to cancel.
    if (found === undefined) return
    try {
      if (revisionOf(found.request) === undefined) await connection.notify(notification, bytes)
    } finally {
      found.controller.abort()
    }
  }

  const pass = async (message: Message, bytes: Uint8Array): Promise<void> => {
    if (message.kind === 'request') return ask(message, bytes)
    try {
      if (message.kind === 'notification' && message.method === 'notifications/cancelled') {
        return await cancel(message, bytes)
      }
      await connection.notify(message, bytes)
    } catch (error) {
      if (!ending.signal.aborted) tell(error)
    }
  }

  const read = async (): Promise<void> => {
    for await (const bytes of linesOf(stdin, MAX_MESSAGE_BYTES)) {
      if (bytes === undefined) {
        await refuse(null, errorCodes.invalidRequest, 'A line on stdin is longer than 10 MB')
        continue
      }
      const value = jsonOf(bytes)
      const message = messageOf(value)
      if (value === undefined) {
        await refuse(null, errorCodes.parse, 'A line on stdin is not JSON in UTF-8')
      } else if (message === undefined) {
        const id = isObject(value) && isId(value['id']) ? value['id'] : null
        await refuse(id, errorCodes.invalidRequest, 'A line on stdin is no JSON-RPC message')
      } else {
        const task = pass(message, bytes).finally(() => tasks.delete(task))
        tasks.add(task)
        // More than requests: notifications that the service does not take as fast.
        if (tasks.size > 2 * MAX_PENDING) await Promise.race(tasks)
      }
    }
  }

  try {
    await read().catch((error: unknown) => {
      if (!ending.signal.aborted) throw error
    })
  } finally {
    end()
    options.signal.removeEventListener('abort', end)
    stdout.off('close', end)
    for (const { controller } of pending.values()) controller.abort()
    await connection.end()
    await service.close()
    await Promise.allSettled(tasks)
    await written
    if (failure === undefined) await sink.end()
  }
  if (failure !== undefined) throw failure
}

/** Text of JSON without the key, however its letters are escaped; as it was written when the key is not in it. */
function withoutKey(json: string, key: string): string {
  // A key is ASCII: other escapes stay as they are.
  const spelled = json.replaceAll(/\\(?:u00([2-7][0-9a-f])|.)/gi, (escaped, code?: string) => {
    if (code === undefined) return escaped === '\\/' ? '/' : escaped
    return JSON.stringify(String.fromCharCode(Number.parseInt(code, 16))).slice(1, -1)
  })
  const found = JSON.stringify(key).slice(1, -1)
  return spelled.includes(found) ? spelled.replaceAll(found, '…') : json
}

/** undefined, which no JSON text is, for bytes that are none. */
function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
}
