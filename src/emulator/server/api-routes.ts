/** Routes of the API, derived from the contract, with the steps common to every operation. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { contract } from '../../contract/contract.ts'
import { authOf, type Endpoint, isEmpty, isFile, successOf } from '../../contract/endpoint.ts'
import { basePath, headers } from '../../contract/service.ts'
import { maxExtractionBytes } from '../../contract/statements.ts'
import { type Authenticator, checkScope } from '../engine/api-keys.ts'
import type { Engine } from '../engine/engine.ts'
import { ServiceError } from '../engine/errors.ts'
import type { FileReply } from '../handlers/handler.ts'
import { handlers } from '../handlers/handlers.ts'
import type { Environment } from '../store/customers.ts'
import { isDiskFull } from '../store/database.ts'
import { broken, ordered, type Refused, refused, serviceErrorOf, Unavailable } from './errors.ts'
import {
  beginIdempotent,
  checkIdempotencyKey,
  fingerprintOf,
  finishIdempotent,
  type IdempotentRequest,
} from './idempotency.ts'
import { bodyOf, bytesOf, keyOf, uploadOf } from './request.ts'
import { checkPortalSignature, type RateLimiter } from './request-checks.ts'
import { inputOf } from './validation.ts'

export interface ApiServices {
  readonly engine: Engine
  readonly environment: Environment
  readonly authenticator: Authenticator
  readonly limiter: RateLimiter
  readonly portalSecret: string
  /** Checks every success body against the contract before it is sent. */
  readonly strict: boolean
  readonly onError: (error: unknown, traceId: string) => void
  /** Waits as long as latency and faults ask for, on the wall clock. */
  readonly pause: (request: FastifyRequest) => Promise<void>
}

/** Any handler; `Handlers` has checked its types. */
type AnyHandler = (input: object, call: object) => unknown

const json = 'application/json; charset=utf-8'
/** The file, and the multipart framing around it. */
const uploadLimit = maxExtractionBytes + 64 * 1024

export function apiRoutes(app: FastifyInstance, services: ApiServices): void {
  for (const [area, operations] of Object.entries(contract)) {
    const areaHandlers = handlers[area as keyof typeof handlers] as unknown as Record<string, AnyHandler>
    for (const [name, endpoint] of Object.entries<Endpoint>(operations)) {
      const handler = areaHandlers[name]
      if (!handler) throw new Error(`${area}.${name} has no handler`)
      addRoute(app, services, endpoint, handler)
    }
  }
}

function addRoute(
  app: FastifyInstance,
  services: ApiServices,
  endpoint: Endpoint,
  handler: AnyHandler,
): void {
  const { engine, authenticator, limiter } = services
  const bearer = authOf(endpoint) === 'bearer'
  const honoured = endpoint.idempotencyKey === 'honoured'
  const answer = answering(services, endpoint, handler)
  app.route({
    method: endpoint.method,
    url: `${basePath}${endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
    ...(endpoint.upload === undefined ? {} : { bodyLimit: uploadLimit }),
    onRequest(request, _reply, done) {
      if (bearer) {
        const key = authenticator.authenticate(request.headers.authorization)
        limiter.take(key.id, engine.clock.now())
        belongsHere(key.tenant.environment, services.environment, endpoint.path)
        if (!honoured) checkScope(key, endpoint.scope)
        request.state.key = key
      }
      done()
    },
    config: { replays: honoured },
    handler: honoured ? idempotently(services, answer) : plainly(services, answer),
  })
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation honours an Idempotency-Key. */
    replays?: boolean
  }
}

/** Whether the answer to this request is kept for its Idempotency-Key. */
export function isReplayable({ routeOptions, headers }: FastifyRequest): boolean {
  return routeOptions.config.replays === true && typeof headers['idempotency-key'] === 'string'
}

/** A key of one environment matches nothing in the other. The sandbox helpers say why they refuse a live key. */
export function belongsHere(own: Environment, here: Environment, path: string): void {
  if (own === here) return
  if (own === 'live' && path.startsWith('/sandbox/')) {
    throw new ServiceError('live_key_not_allowed', 'Sandbox helpers take no live key.')
  }
  throw new ServiceError('unknown_api_key', 'The API key is missing, or matches no active key.')
}

interface JsonReply {
  readonly status: number
  /** Undefined: no body. */
  readonly body: string | undefined
  /** Beside those that every answer has. */
  readonly headers?: Readonly<Record<string, string>>
}

type Respond = (request: FastifyRequest, reply: FastifyReply) => Promise<JsonReply | FileReply>

/** Turns a request into its reply: signature, input, handler, check. */
function answering(services: ApiServices, endpoint: Endpoint, handler: AnyHandler): Respond {
  const { engine, environment, authenticator, portalSecret, strict } = services
  const auth = authOf(endpoint)
  const validate = inputOf(endpoint)
  const success = successOf(endpoint)

  return async (request) => {
    // Here for an operation that replays its refusals; any other refuses before it reads the body.
    if (endpoint.idempotencyKey === 'honoured') checkScope(keyOf(request), endpoint.scope)
    const body = bodyOf(request)
    if (auth === 'portal-body' || auth === 'portal-user')
      await checkPortalSignature(request, auth, portalSecret)
    const { query, params } = request
    const input = validate({
      params: params as Record<string, unknown>,
      query: query as Record<string, unknown>,
      headers: request.headers,
      body,
    })
    if (endpoint.upload) input[endpoint.upload] = await uploadOf(request, endpoint.upload)
    const open = { engine: { ...engine, traceId: () => request.state.traceId }, environment }
    const call = auth === 'bearer' ? { ...open, authenticator, ...whose(request) } : open
    // A change and its events are stored together or not at all.
    const handled =
      endpoint.method === 'GET'
        ? handler(input, call)
        : engine.store.db.transaction(() => handler(input, call))
    const result = handled instanceof Promise ? await handled : handled
    if (isFile(success.body)) return result as FileReply
    if (isEmpty(success.body)) return { status: success.status, body: undefined }
    if (strict) success.body.parse(result)
    return { status: success.status, body: JSON.stringify(result) }
  }
}

function whose(request: FastifyRequest) {
  const key = keyOf(request)
  return { key, tenant: key.tenant }
}

function plainly({ pause }: ApiServices, answer: Respond) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const repeated = request.headers['idempotency-key']
    if (request.method === 'POST' && typeof repeated === 'string') checkIdempotencyKey(repeated)
    await pause(request)
    return send(reply, await answer(request, reply))
  }
}

/**
 * Replays the first response to the same key for 24 hours, failures included. A request that is not admitted (no
 * active key, over the rate limit, without a length, too large to read) is refused before and leaves nothing to replay.
 */
function idempotently(services: ApiServices, answer: Respond) {
  const { engine, pause } = services
  const plain = plainly(services, answer)
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const key = request.headers['idempotency-key']
    if (typeof key !== 'string') return plain(request, reply)
    checkIdempotencyKey(key)
    const first: IdempotentRequest = { apiKey: keyOf(request).seq, key }
    const known = beginIdempotent(engine, first, fingerprintOf(request.method, request.url, bytesOf(request)))
    if (known) {
      request.state.traceId = known.traceId
      reply.header(headers.idempotentReplayed, 'true')
      return send(reply, known)
    }
    try {
      await pause(request)
      const given = await replyOrRefusal(services, request, () => answer(request, reply))
      const { status, body = '', headers: more = {} } = given
      finishIdempotent(engine, first, { status, body, traceId: request.state.traceId, headers: more })
      return send(reply, given)
    } catch (error) {
      // The answer could not be kept.
      engine.store.idempotentRequests.abandon(first.apiKey, key)
      throw error
    }
  }
}

/** The reply of `work`, of the fault ordered for the request, or of an error, so that each can be replayed. */
async function replyOrRefusal(
  { engine, onError }: ApiServices,
  { state: { traceId, fault } }: FastifyRequest,
  work: () => Promise<JsonReply | FileReply>,
): Promise<JsonReply> {
  const portalUrl = engine.origins.sandbox
  if (fault?.status !== undefined) return jsonOf(ordered(fault.status, traceId, portalUrl, fault.retry_after))
  try {
    return (await work()) as JsonReply
  } catch (error) {
    // What this machine cannot do now can be done by the next try.
    if (error instanceof Unavailable || isDiskFull(error)) throw error
    const known = serviceErrorOf(error)
    if (!known) onError(error, traceId)
    return jsonOf(known ? refused(known, traceId, portalUrl) : broken({ status: 500 }, traceId, portalUrl))
  }
}

function jsonOf({ status, body, headers }: Refused): JsonReply {
  return { status, body: JSON.stringify(body), headers }
}

function send(reply: FastifyReply, answer: JsonReply | FileReply): FastifyReply {
  reply.header(headers.traceId, reply.request.state.traceId)
  if ('bytes' in answer) {
    const { status = 200, contentType, bytes, headers: more = {} } = answer
    return reply
      .code(status)
      .headers(more)
      .type(contentType)
      .send(typeof bytes === 'string' ? bytes : Buffer.from(bytes))
  }
  reply.code(answer.status).headers(answer.headers ?? {})
  return answer.body === undefined ? reply.send() : reply.type(json).send(answer.body)
}
