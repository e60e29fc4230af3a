/** Sends a delivery over HTTP. */
import request from 'undici/lib/api/api-request.js'
import Agent from 'undici/lib/dispatcher/agent.js'

export interface DeliveryRequest {
  readonly url: string
  readonly body: Uint8Array
  readonly headers: Readonly<Record<string, string>>
}

export interface Sender {
  /** POSTs and returns the outcome; never throws. A redirect is not followed: it is a response other than 2xx. */
  send(delivery: DeliveryRequest, signal: AbortSignal): Promise<{ succeeded: boolean; detail: string }>
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
        await response.body.dump({ limit: 65_536 })
        const { statusCode } = response
        return { succeeded: statusCode >= 200 && statusCode < 300, detail: String(statusCode) }
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
