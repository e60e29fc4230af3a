/** Sends a delivery over HTTP. */
import request from 'undici/lib/api/api-request.js'
import Agent from 'undici/lib/dispatcher/agent.js'
import { beginningOf, LONGEST_SECRET } from '../../without-secrets.ts'

export interface DeliveryRequest {
  readonly url: string
  readonly body: Uint8Array
  readonly headers: Readonly<Record<string, string>>
}

interface Outcome {
  readonly succeeded: boolean
  readonly detail: string
  /** The beginning of the response's body, when there was a response. */
  readonly answer?: string
}

/** Of a response's body: how many bytes are read, and how many characters are kept. */
const MAX_READ = 65_536
const MAX_KEPT = 2000

export interface Sender {
  /** POSTs and returns the outcome; never throws. A redirect is not followed: it is a response other than 2xx. */
  send(delivery: DeliveryRequest, signal: AbortSignal): Promise<Outcome>
  close(): Promise<void>
}

/** `timeoutMs`: the time within which the receiver should have answered, on the wall clock. */
export function createSender(timeoutMs: number): Sender {
  const dispatcher = new Agent({
    connect: { timeout: timeoutMs, rejectUnauthorized: true },
    connections: 256,
  })
  return {
    async send({ url, body, headers }, signal) {
      try {
        const { origin, pathname, search } = new URL(url)
        const response = await request.call(dispatcher, {
          origin,
          path: pathname + search,
          method: 'POST',
          headers: { 'content-type': 'application/json', 'user-agent': 'bankapi-emulator', ...headers },
          body,
          signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
          headersTimeout: timeoutMs,
          bodyTimeout: timeoutMs,
        })
        const answer = await answerOf(response.body)
        const { statusCode } = response
        return { succeeded: statusCode >= 200 && statusCode < 300, detail: String(statusCode), answer }
      } catch (error) {
        return { succeeded: false, detail: reason(error, timeoutMs) }
      }
    },
    close: () => dispatcher.destroy(),
  }
}

function reason(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return 'failed'
  if (error.name === 'TimeoutError') return `no answer within ${timeoutMs} ms`
  const { code } = error as Error & { code?: unknown }
  return typeof code === 'string' ? code : error.message
}

/** Reads a body, unless it is too long, and returns its beginning, without secrets. */
async function answerOf(body: AsyncIterable<Buffer>): Promise<string> {
  const kept: Buffer[] = []
  let length = 0
  for await (const chunk of body) {
    if (length < MAX_KEPT + LONGEST_SECRET) kept.push(chunk)
    length += chunk.length
    if (length > MAX_READ) break
  }
  return beginningOf(Buffer.concat(kept).toString('utf8'), MAX_KEPT)
}
