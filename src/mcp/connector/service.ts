/** Sends messages to the service's connector with the transport, time limits, retries and debug log of the API's calls. */
import { baseOf } from '../../api/address.ts'
import { throwForStatus } from '../../api/answer.ts'
import { attempt } from '../../api/attempt.ts'
import {
  ApiResponseError,
  UnreachableError,
  type UnreadableReason,
  UnreadableResponseError,
} from '../../api/errors.ts'
import type { HttpAnswer, Repeats } from '../../api/http.ts'
import { type Clock, limitsOf, type Random, retriesOf, timeoutsOf, type Wait } from '../../api/options.ts'
import { proxyFor } from '../../api/proxy.ts'
import { withRetries } from '../../api/retry.ts'
import { undiciTransport } from '../../api/undici-transport.ts'
import { MAX_MESSAGE_BYTES } from './messages.ts'

/** The longest that a timer takes. A stream may stay open as long as its client, and be silent all the time. */
const UNLIMITED_MS = 2 ** 31 - 1

/** An answer that is one JSON body begins when the tool is done. Clients wait less, and cancel. */
const ANSWER_WITHIN_MS = 10 * 60_000

export interface ServiceOptions {
  /** The address of the connector. */
  readonly url: string
  readonly apiKey: string
  readonly userAgent: string
  /** Environment variables: HTTPS_PROXY, HTTP_PROXY and NO_PROXY are read. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
  readonly random: Pick<Random, 'fraction'>
  readonly onWait?: ((wait: Wait) => void) | undefined
  /** Takes the lines of `--debug`, already redacted. */
  readonly log?: ((line: string) => void) | undefined
}

export interface ServiceRequest {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** What the debug log shows beside the address: the method of the message. */
  readonly shown: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array | undefined
  /** Whether it may be sent again when it is not known to be refused. */
  readonly repeats: Repeats
}

export interface Service {
  /** The answer, whatever its status; its stream is to be read or discarded. @throws what `attempt` does. */
  send(request: ServiceRequest, signal: AbortSignal): Promise<HttpAnswer>
  /** @throws ApiResponseError from 400 on, UnreadableResponseError for another status that is no success. */
  assertSuccess(answer: HttpAnswer): Promise<void>
  unreadable(reason: UnreadableReason, message: string, hint?: string): Error
  /** Whether a failure may be over when the stream is opened again. */
  mayPass(failure: unknown): boolean
  close(): Promise<void>
}

export function connectService(options: ServiceOptions): Service {
  const { clock, random, log, onWait, apiKey, userAgent } = options
  const { origin, root: path } = baseOf(options.url)
  const route = { origin: new URL(origin), proxy: proxyFor(new URL(origin), options.env) }
  const timeouts = timeoutsOf({
    timeouts: { headersMs: ANSWER_WITHIN_MS, idleMs: 0, fileMs: UNLIMITED_MS },
  })
  const transport = undiciTransport({ origin, proxy: route.proxy, timeouts })
  const limits = limitsOf({ limits: { bodyBytes: MAX_MESSAGE_BYTES } })
  const attempts = { transport, route, clock, timeouts, limits, log }
  const retrying = { clock, random, retries: retriesOf({}), onWait }
  const operation = { method: 'POST', path }

  return {
    send({ method, shown, headers, body, repeats }, signal) {
      const request = {
        // The hint of a failure goes by its method: a request that is safe has changed nothing.
        operation: repeats === 'safe' ? { method: 'GET', path } : operation,
        method,
        target: path,
        shownTarget: `${path} ${shown.slice(0, 100)}`,
        headers: {
          Accept: 'application/json, text/event-stream',
          Authorization: `Bearer ${apiKey}`,
          'User-Agent': userAgent,
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...headers,
        },
        body: body === undefined ? undefined : { bytes: body },
        reads: 'by-type',
        repeats,
      } as const
      return withRetries(request, (number) => attempt(request, number, attempts, signal), retrying, signal)
    },
    assertSuccess: (answer) => throwForStatus(answer, { operation, endpoint: undefined, now: clock.now() }),
    unreadable: (reason, message, hint = `Is a connector at ${options.url}? bankapi doctor`) =>
      new UnreadableResponseError({ reason, message, hint, operation }),
    mayPass(failure) {
      if (failure instanceof UnreachableError) return failure.reason !== 'tls'
      if (failure instanceof ApiResponseError) return failure.httpStatus === 429 || failure.httpStatus >= 500
      return failure instanceof UnreadableResponseError && failure.reason === 'cut'
    },
    close: () => transport.close(),
  }
}
