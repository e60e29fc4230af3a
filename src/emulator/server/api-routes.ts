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
import { refused } from './errors.ts'
import {
  beginIdempotent,
  checkIdempotencyKey,
  fingerprintOf,
  finishIdempotent,
  type IdempotentRequest,
} from './idempotency.ts'
import { bodyOf, keyOf, uploadOf } from './request.ts'
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
  const answer = answering(services, endpoint, handler)
  app.route({
    method: endpoint.method,
    url: `${basePath}${endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
    ...(endpoint.upload === undefined ? {} : { bodyLimit: uploadLimit }),
    onRequest(request, _reply, done) {
      if (bearer) {
        const key = authenticator.authenticate(request.headers.authorization)
        limiter.take(key.id, engine.clock.now())
        belongsHere(key.tenant.environment, services.environment, endpoint)
        checkScope(key, endpoint.scope)
        request.state.key = key
      }
      done()
    },
    handler:
      endpoint.idempotencyKey === 'honoured' ? idempotently(services, answer) : plainly(services, answer),
  })
}

/** A key of one environment matches nothing in the other. The sandbox helpers say why they refuse a live key. */
function belongsHere(own: Environment, here: Environment, { path }: Endpoint): void {
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
}

type Respond = (request: FastifyRequest, reply: FastifyReply) => Promise<JsonReply | FileReply>

/** Turns a request into its reply: signature, input, handler, check. */
function answering(services: ApiServices, endpoint: Endpoint, handler: AnyHandler): Respond {
  const { engine, environment, authenticator, portalSecret, strict } = services
  const auth = authOf(endpoint)
  const validate = inputOf(endpoint)
  const success = successOf(endpoint)

  return async (request) => {
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
    const open = { engine, environment }
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

/** Replays the first response to the same key for 24 hours, failures included. */
function idempotently(services: ApiServices, answer: Respond) {
  const { engine, pause } = services
  const plain = plainly(services, answer)
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const key = request.headers['idempotency-key']
    if (typeof key !== 'string') return plain(request, reply)
    checkIdempotencyKey(key)
    const first: IdempotentRequest = { apiKey: keyOf(request).seq, key }
    const known = beginIdempotent(
      engine,
      first,
      fingerprintOf(request.method, request.url, bodyOf(request).bytes),
    )
    if (known) {
      request.state.traceId = known.traceId
      reply.header(headers.idempotentReplayed, 'true')
      return send(reply, known)
    }
    try {
      await pause(request)
      const { status, body } = (await refusable(request, engine, () => answer(request, reply))) as JsonReply
      finishIdempotent(engine, first, { status, body: body ?? '', traceId: request.state.traceId })
      return send(reply, { status, body })
    } catch (error) {
      // Nothing was answered that could be replayed.
      engine.store.idempotentRequests.abandon(first.apiKey, key)
      throw error
    }
  }
}

/** Turns an error of the service into a reply, so that it can be replayed. */
async function refusable(
  { state }: FastifyRequest,
  { origins }: Engine,
  work: () => Promise<JsonReply | FileReply>,
): Promise<JsonReply | FileReply> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    const { status, body } = refused(error, state.traceId, origins.sandbox)
    return { status, body: JSON.stringify(body) }
  }
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
  reply.code(answer.status)
  return answer.body === undefined ? reply.send() : reply.type(json).send(answer.body)
}
