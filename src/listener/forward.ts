/** Sends a delivery on, byte for byte, and brings the target's answer back. */
import { Agent } from 'undici'
import type { HeaderPair } from '../inbox/private-headers.ts'
import type { ForwardOutcome } from './events.ts'
import { headerPairs, passedOn, withExtra } from './forward-headers.ts'

export interface Forwarder {
  /** Never rejects: what goes wrong is in the outcome. */
  forward(request: ForwardRequest): Promise<ForwardOutcome>
  /** Ends the forwards under way, as `aborted`, and closes every connection. */
  abort(): Promise<void>
  close(): Promise<void>
}

export interface ForwardRequest {
  url: string
  method: string
  headers: readonly HeaderPair[]
  body: Uint8Array
}

export interface ForwarderOptions {
  /** Milliseconds until the whole answer must be there. */
  timeoutMs: number
  insecureTls: boolean
  extraHeaders: readonly HeaderPair[]
}

/** Bytes of an answer that are passed back; the sender reads the status and little else. */
const LARGEST_ANSWER = 10 * 1024 * 1024

class Timeout extends Error {}
class Aborted extends Error {}
class TooLarge extends Error {}

export function createForwarder({ timeoutMs, insecureTls, extraHeaders }: ForwarderOptions): Forwarder {
  const agent = new Agent({
    // One limit counts, the timer below: it covers connecting, waiting and reading.
    connect: { timeout: 0, rejectUnauthorized: !insecureTls },
    headersTimeout: 0,
    bodyTimeout: 0,
    allowH2: false,
  })
  const underWay = new Set<AbortController>()

  async function send(request: ForwardRequest, signal: AbortSignal) {
    const { origin } = new URL(request.url)
    const answer = await agent.request({
      origin,
      path: request.url.slice(origin.length),
      method: request.method,
      headers: withExtra(passedOn(request.headers), extraHeaders).flat(),
      body: request.body,
      responseHeaders: 'raw',
      signal,
    })
    // Raw headers were asked for: names and values in turn.
    const headers = passedOn(headerPairs(answer.headers as unknown as string[]))
    return { status: answer.statusCode, headers, body: await readAnswer(answer.body) }
  }

  return {
    async forward(request) {
      const controller = new AbortController()
      const timer = setTimeout(() => controller.abort(new Timeout()), timeoutMs)
      const started = performance.now()
      underWay.add(controller)
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
        const answer = await send(request, controller.signal)
        return { ...outcome, ...answer, durationMs: performance.now() - started }
      } catch (error) {
        const durationMs = performance.now() - started
        return { ...outcome, status: undefined, durationMs, ...explain(error as Error, timeoutMs) }
      } finally {
        clearTimeout(timer)
        underWay.delete(controller)
      }
    },
    abort() {
      for (const controller of underWay) controller.abort(new Aborted())
      return agent.destroy()
    },
    close: () => (agent.destroyed ? Promise.resolve() : agent.close()),
  }
}

async function readAnswer(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.byteLength
    if (length > LARGEST_ANSWER) throw new TooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, length)
}

const unreachable: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'no host has this name',
  EAI_AGAIN: 'the name cannot be looked up',
  EHOSTUNREACH: 'no way to this host',
  ENETUNREACH: 'no way to this network',
  ETIMEDOUT: 'no answer to the connection attempt',
}

function explain(error: Error, timeoutMs: number): Pick<ForwardOutcome, 'failure' | 'error'> {
  if (error instanceof Timeout) return { failure: 'timeout', error: `no answer within ${timeoutMs / 1000} s` }
  if (error instanceof Aborted) return { failure: 'aborted', error: 'ended before an answer came' }
  if (error instanceof TooLarge) {
    return {
      failure: 'broken_answer',
      error: `the answer is larger than ${LARGEST_ANSWER / 1024 / 1024} MiB`,
    }
  }
  const code = (error as NodeJS.ErrnoException).code ?? error.name
  const words = unreachable[code]
  if (words !== undefined) return { failure: 'unreachable', error: `${words} (${code})` }
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code)) {
    return { failure: 'unreachable', error: `its certificate is not trusted (${code}); see --insecure-tls` }
  }
  return { failure: 'broken_answer', error: `${error.message} (${code})` }
}
