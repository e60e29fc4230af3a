/** Forwards a delivery to its target, byte for byte, and returns the target's response. */
import type { Dispatcher } from 'undici'
import Agent from 'undici/lib/dispatcher/agent.js'
import type { HeaderPair } from '../inbox/delivery-rows.ts'
import { BodyMemory } from './body-memory.ts'
import { passedOn, withExtra } from './delivery-headers.ts'
import type { ForwardOutcome } from './events.ts'
import { Exchange, Overloaded, type Reply, TooLarge } from './exchange.ts'

export interface Forwarder {
  /** How many forwards are under way. */
  readonly running: number
  /** Never rejects: failures are in the outcome. */
  forward(request: ForwardRequest): Promise<ForwardOutcome>
  /** Ends the running forwards, as `aborted`, and closes every connection. */
  abort(): Promise<void>
  close(): Promise<void>
}

export interface ForwardRequest {
  /** Normalised: that of a URL object. */
  url: string
  method: string
  headers: readonly HeaderPair[]
  body: Uint8Array
}

export interface ForwarderOptions {
  /** Time limit for the whole response. */
  timeoutMs: number
  /** The flag that sets the limit, for the message about it. */
  timeoutFlag?: '--forward-timeout' | '--timeout' | undefined
  insecureTls: boolean
  extraHeaders: readonly HeaderPair[]
  /** Of all answers that are arriving. */
  memory?: BodyMemory | undefined
}

/** A larger response is an error; the sender reads the status and little else. */
const MAX_RESPONSE_BYTES = 10 * 1024 * 1024

class Timeout extends Error {}
class Aborted extends Error {}

export function createForwarder({
  timeoutMs,
  timeoutFlag = '--forward-timeout',
  insecureTls,
  extraHeaders,
  memory = new BodyMemory(),
}: ForwarderOptions): Forwarder {
  const agent = new Agent({
    // The timer below is the only limit: it covers connecting, waiting and reading.
    connect: { timeout: 0, rejectUnauthorized: !insecureTls },
    headersTimeout: 0,
    bodyTimeout: 0,
    allowH2: false,
  })
  const underWay = new Set<Exchange>()
  const limit = `${timeoutMs / 1000} s (${timeoutFlag})`

  function send(request: ForwardRequest, exchange: Exchange): Promise<Reply> {
    const { url } = request
    // The URL is normalised: parsing it again costs more than finding where its path begins.
    const path = url.indexOf('/', url.indexOf('//') + 2)
    const options = {
      origin: url.slice(0, path),
      path: url.slice(path),
      method: request.method as Dispatcher.HttpMethod,
      headers: withExtra(passedOn(request.headers), extraHeaders).flat(),
      body: request.body,
    }
    agent.dispatch(options, exchange)
    return exchange.reply
  }

  return {
    get running() {
      return underWay.size
    },
    async forward(request) {
      const exchange = new Exchange({ maxBytes: MAX_RESPONSE_BYTES, memory })
      const timer = setTimeout(() => exchange.end(new Timeout()), timeoutMs)
      const started = performance.now()
      underWay.add(exchange)
      const { method, url } = request
      const outcome = {
        method,
        url,
        headers: [],
        body: new Uint8Array(),
        failure: undefined,
        error: undefined,
      }
      try {
        const { status, headers, body } = await send(request, exchange)
        const durationMs = performance.now() - started
        return { ...outcome, status, headers: passedOn(headers), body, durationMs }
      } catch (error) {
        const durationMs = performance.now() - started
        return { ...outcome, status: undefined, durationMs, ...explain(error as Error, limit) }
      } finally {
        clearTimeout(timer)
        underWay.delete(exchange)
      }
    },
    abort() {
      for (const exchange of underWay) exchange.end(new Aborted())
      return agent.destroy()
    },
    close: () => (agent.destroyed ? Promise.resolve() : agent.close()),
  }
}

const unreachable: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'no host has this name',
  EAI_AGAIN: 'the name cannot be looked up',
  EHOSTUNREACH: 'no way to this host',
  ENETUNREACH: 'no way to this network',
  ETIMEDOUT: 'no answer to the connection attempt',
}

function explain(error: Error, limit: string): Pick<ForwardOutcome, 'failure' | 'error'> {
  if (error instanceof Timeout) return { failure: 'timeout', error: `no answer within ${limit}` }
  if (error instanceof Aborted) return { failure: 'aborted', error: 'ended before an answer came' }
  if (error instanceof TooLarge) {
    return {
      failure: 'broken_answer',
      error: `the answer is larger than ${MAX_RESPONSE_BYTES / 1024 / 1024} MiB`,
    }
  }
  if (error instanceof Overloaded) {
    return { failure: 'broken_answer', error: 'too many large answers were arriving at once' }
  }
  const code = (error as NodeJS.ErrnoException).code ?? error.name
  const words = unreachable[code]
  if (words !== undefined) return { failure: 'unreachable', error: `${words} (${code})` }
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code)) {
    return { failure: 'unreachable', error: `its certificate is not trusted (${code}); see --insecure-tls` }
  }
  return { failure: 'broken_answer', error: `${error.message} (${code})` }
}
