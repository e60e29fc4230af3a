/** Makes one attempt at a request: sends it, follows redirects within its origin, logs it and reads the answer. */
import { collect, stream, TooLarge, UnknownEncoding } from './body.ts'
import { Deadline } from './deadline.ts'
import { failureLine, maskedTarget, replyLine, requestLine } from './debug-log.ts'
import { ClosedError, type UnreadableReason, UnreadableResponseError } from './errors.ts'
import { explain, type FailureContext, type Route } from './failures.ts'
import { type HttpAnswer, type HttpReply, type HttpRequest, header, type Transport } from './http.ts'
import type { Clock, Limits, Timeouts } from './options.ts'

export interface AttemptSettings {
  readonly transport: Transport
  readonly route: Route
  readonly clock: Clock
  readonly timeouts: Timeouts
  readonly limits: Limits
  readonly log?: ((line: string) => void) | undefined
}

type Received = Omit<HttpReply, 'body'> & {
  readonly body: HttpReply['body']
  readonly traceId: string | undefined
}

const redirects = [301, 302, 303, 307, 308]
const MAX_REDIRECTS = 5
/** Limits for the body of an error answer, which is short; a larger or slower one counts as empty. */
const MAX_ERROR_BODY_BYTES = 1024 * 1024
const MAX_ERROR_BODY_MS = 5000

/**
 * The answer to one attempt, whatever its status.
 * @throws UnreachableError, UnreadableResponseError, InputError (an upload that cannot be read), or the signal's reason.
 */
export async function attempt(
  request: HttpRequest,
  number: number,
  settings: AttemptSettings,
  signal: AbortSignal | undefined,
): Promise<HttpAnswer> {
  const { transport, route, clock, timeouts, limits, log } = settings
  const started = clock.elapsed()
  const deadline = new Deadline(signal)
  const uploads = request.body !== undefined && 'open' in request.body
  let received: Received | undefined
  let streaming = false

  const understand = (failure: unknown): unknown => {
    if (signal?.aborted) return signal.reason
    if (transport.closed) return new ClosedError(failure)
    const when: FailureContext = {
      route,
      operation: request.operation,
      phase: received ? 'body' : 'headers',
      expired: deadline.expired,
      httpStatus: received?.status,
      traceId: received?.traceId,
    }
    return explain(unusable(failure, request, received, settings), when)
  }

  try {
    signal?.throwIfAborted()
    log?.(
      requestLine({
        method: request.method,
        url: route.origin.origin + request.shownTarget,
        attempt: number,
      }),
    )
    deadline.allow(uploads ? timeouts.fileMs : timeouts.connectMs + timeouts.headersMs)
    received = await send(request, settings, deadline)
    const { status, headers, traceId } = received
    log?.(replyLine(received, clock.elapsed() - started))

    const success = status >= 200 && status < 300
    const encoding = header(headers, 'content-encoding')
    streaming = success && takesStream(request.reads, headers, status)
    deadline.allow(bodyTime(timeouts, success, streaming))
    if (streaming) {
      return { status, headers, traceId, content: streamed(received, encoding, deadline, understand) }
    }
    const bytes = success
      ? await collect(received.body, encoding, limits.bodyBytes)
      : await explanation(received.body, encoding)
    if (signal?.aborted) throw signal.reason
    return { status, headers, traceId, content: { kind: 'whole', bytes } }
  } catch (failure) {
    const error = understand(failure)
    log?.(failureLine(error, clock.elapsed() - started))
    throw error
  } finally {
    if (!streaming) deadline.end()
  }
}

function bodyTime({ fileMs, bodyMs }: Timeouts, success: boolean, streaming: boolean): number {
  if (streaming) return fileMs
  return success ? bodyMs : Math.min(bodyMs, MAX_ERROR_BODY_MS)
}

function takesStream(reads: HttpRequest['reads'], headers: Received['headers'], status: number): boolean {
  if (reads !== 'by-type') return reads === 'stream'
  const empty = status === 204 || header(headers, 'content-length') === '0'
  return !empty && !/[/+]json\b/i.test(header(headers, 'content-type') ?? '')
}

/** The body of an error answer; empty when it is cut, endless or broken, because the status is enough. */
async function explanation(body: HttpReply['body'], encoding: string | undefined): Promise<Uint8Array> {
  return collect(body, encoding, MAX_ERROR_BODY_BYTES).catch(() => new Uint8Array())
}

function streamed(
  { headers, body }: Received,
  encoding: string | undefined,
  deadline: Deadline,
  understand: (failure: unknown) => unknown,
): HttpAnswer['content'] {
  // Content-Length counts compressed bytes, so it is not the length of a compressed file.
  const length = encoding === undefined ? Number(header(headers, 'content-length') ?? Number.NaN) : Number.NaN
  const download = {
    contentType: header(headers, 'content-type') ?? 'application/octet-stream',
    contentLength: Number.isSafeInteger(length) ? length : undefined,
    body: ended(stream(body, encoding), deadline, understand),
  }
  const discard = (): void => {
    deadline.end()
    body.destroy()
  }
  return { kind: 'stream', download, discard }
}

/** Passes a stream on, explains its failures, and clears the deadline when it ends. */
async function* ended(
  body: AsyncGenerator<Uint8Array>,
  deadline: Deadline,
  understand: (failure: unknown) => unknown,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body
  } catch (failure) {
    throw understand(failure)
  } finally {
    deadline.end()
  }
}

/** Sends, and follows a GET within its own origin: Authorization never leaves for another one. */
async function send(request: HttpRequest, settings: AttemptSettings, deadline: Deadline): Promise<Received> {
  let { target } = request
  for (let hops = 0; ; hops++) {
    const reply = await settings.transport.send({ ...request, target }, deadline.signal)
    const traceId = header(reply.headers, 'x-ls-trace-id')
    const received = { ...reply, traceId }
    if (!redirects.includes(reply.status)) return received

    await collect(reply.body, undefined, MAX_ERROR_BODY_BYTES).catch(() => {})
    const { origin } = settings.route.origin
    const location = header(reply.headers, 'location')
    // Without one, the address would be read as its own.
    const leads = location !== undefined && URL.canParse(location, origin + target)
    const next = leads ? new URL(location, origin + target) : undefined
    const refuse = (why: string): never => {
      const message = `The service answered ${reply.status}, a redirect ${why}`
      const hint = 'Check the base URL: bankapi doctor'
      const { operation } = request
      throw new UnreadableResponseError({
        reason: 'redirect',
        message,
        hint,
        operation,
        httpStatus: reply.status,
        traceId,
      })
    }
    if (!next) return refuse('that leads nowhere')
    if (next.origin !== origin) return refuse(`to another address (${next.origin}); it was not followed`)
    if (request.method !== 'GET') return refuse(`of a ${request.method}, which is not sent a second time`)
    if (hops === MAX_REDIRECTS) return refuse('too many')
    target = next.pathname + next.search
    settings.log?.(`<-- ${reply.status}, to ${maskedTarget(target)}`)
  }
}

/** Turns an error of reading the body into one for the user; any other error is returned as it is. */
function unusable(
  failure: unknown,
  request: HttpRequest,
  received: Received | undefined,
  settings: AttemptSettings,
): unknown {
  const error = (reason: UnreadableReason, message: string, hint: string): Error =>
    new UnreadableResponseError({
      reason,
      message,
      hint,
      operation: request.operation,
      httpStatus: received?.status,
      traceId: received?.traceId,
    })
  if (failure instanceof TooLarge) {
    const maxMegabytes = Math.round(settings.limits.bodyBytes / 2 ** 20)
    return error('too_large', `The answer is larger than ${maxMegabytes} MB`, 'Ask for less at once: --limit')
  }
  if (failure instanceof UnknownEncoding) {
    return error(
      'encoding',
      'The answer is compressed in a way that was not asked for',
      'Check for a proxy on the way',
    )
  }
  return failure
}
