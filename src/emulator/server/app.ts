/** Builds the HTTP server of one base: the API, the hosted pages, and the handling common to every request. */
import { randomUUID } from 'node:crypto'
import type { RequestListener, Server } from 'node:http'
import { Readable } from 'node:stream'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { everyEndpoint } from '../../contract/contract.ts'
import { basePath, connectorPath, headers } from '../../contract/service.ts'
import { limitPipelining } from '../../pipelining.ts'
import { refusalPage, wantsPage } from '../console/places.ts'
import type { Faults } from '../control/faults.ts'
import { notFound, ServiceError } from '../engine/errors.ts'
import { foreignCursor } from '../engine/paging.ts'
import { hostedRoutes } from '../hosted/routes.ts'
import type { RequestLog } from '../log/request-log.ts'
import { connectorRoutes } from '../mcp/routes.ts'
import type { PageReply } from '../pages/document.ts'
import { isDiskFull } from '../store/database.ts'
import { type ApiServices, apiRoutes, isReplayable } from './api-routes.ts'
import {
  answerClientError,
  answerOddRequests,
  broken,
  ordered,
  type Refused,
  refused,
  serviceErrorOf,
  Unavailable,
} from './errors.ts'
import { type BodyBudget, type Received, readBodies } from './request.ts'
import { type BoundTo, checkHost, checkLength } from './request-checks.ts'

export interface AppOptions extends Omit<ApiServices, 'pause'> {
  readonly faults: Faults
  /** Milliseconds every answer of the API takes longer, on the wall clock. */
  readonly latencyMs: number
  readonly boundTo: BoundTo
  /** Shared by both bases. */
  readonly bodies: BodyBudget
  readonly log: RequestLog
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
}

const diskFull = new Unavailable(
  "The disk that holds the emulator's data is full: nothing was changed. Free some space, and send it again.",
  507,
)

export function createApp(options: AppOptions): FastifyInstance {
  const { engine, environment, faults, log, sleep } = options
  const portalUrl = () => engine.origins.sandbox
  const app = fastify({
    // Ids as long as a caller can send: they read as not found, not as an unknown path.
    routerOptions: { maxParamLength: 4096, ignoreDuplicateSlashes: true },
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    // Without one the answer would be Node's own, and empty.
    http: { requireHostHeader: false },
    clientErrorHandler: (error, socket) => answerClientError(error, socket, portalUrl()),
    frameworkErrors: (error, request, reply) => {
      begin(request, reply)
      return answerError(error, request, reply)
    },
  })
  boundPipelining(app.server)
  answerOddRequests(app.server, portalUrl)
  app.decorateRequest('state')
  readBodies(app, options.bodies)

  // With callbacks: a promise less for each request, of which there are many.
  app.addHook('onRequest', (request, reply, done) => {
    begin(request, reply)
    reply.header(headers.traceId, request.state.traceId)
    // By the service's own clock, which `advance` moves.
    reply.header('date', new Date(engine.clock.now()).toUTCString())
    checkHost(request.headers.host, options.boundTo, isConnector(request.url) ? 403 : 400)
    if (isForUser(request.url)) return done()
    request.state.fault = faults.forRequest(request.method, pathOf(request.url), hasCursor(request.query))
    if (isAnsweredAtOnce(request)) return void answerFault(request, reply)
    checkLength(request.method, request.headers)
    done()
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    request.state.sent = payload
    done(null, request.state.fault?.truncate ? cutShort(reply, payload) : payload)
  })
  // Handlers of hosted pages are synchronous: until they have answered no other request begins.
  let answering = ''
  app.addHook('preHandler', ({ state }, _reply, done) => {
    answering = state.traceId
    done()
  })
  app.setErrorHandler(answerError)
  app.setNotFoundHandler((request, reply) => answerError(noRoute(request), request, reply))

  apiRoutes(app, { ...options, pause })
  connectorRoutes(app, options)
  hostedRoutes(app, { ...engine, traceId: () => answering }, environment, formOf)
  return app

  function begin(request: FastifyRequest, reply: FastifyReply): void {
    request.state = { traceId: randomUUID(), key: undefined, fault: undefined, held: 0, sent: undefined }
    if (!isForUser(request.url)) log.watch(request, reply, environment)
  }

  /** Answers as the fault orders, or drops the connection. */
  async function answerFault(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { status, drop, delay_ms, refuse_cursor, retry_after } = request.state.fault ?? {}
    const { traceId } = request.state
    if (delay_ms) await sleep(delay_ms)
    if (refuse_cursor) sendRefusal(reply, refused(foreignCursor(), traceId, portalUrl()))
    else if (drop || status === undefined) {
      reply.hijack()
      request.raw.destroy()
    } else sendRefusal(reply, ordered(status, traceId, portalUrl(), retry_after))
  }

  async function pause({ state }: FastifyRequest): Promise<void> {
    const ms = options.latencyMs + (state.fault?.delay_ms ?? 0)
    if (ms > 0) await sleep(ms)
  }

  function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const { traceId } = request.state
    const known = serviceErrorOf(error)
    if (known && isForPerson(request)) return sendPage(reply, refusalPage(known, portalUrl()))
    if (known) return sendRefusal(reply, refused(known, traceId, portalUrl()))
    const unable = isDiskFull(error) ? diskFull : error
    if (unable instanceof Unavailable) return sendRefusal(reply, broken(unable, traceId, portalUrl()))
    options.onError(error, traceId)
    return sendRefusal(reply, broken({ status: 500 }, traceId, portalUrl()))
  }
}

/** Fastify has registered its handler of requests already. */
function boundPipelining(server: Server): void {
  const [handle] = server.listeners('request') as RequestListener[]
  if (handle === undefined) throw new Error('the server has no handler')
  server.off('request', handle)
  server.on('request', limitPipelining(handle))
}

/** A fault that stands for the answer. Where the answer can be replayed its operation gives it, and remembers it. */
function isAnsweredAtOnce(request: FastifyRequest): boolean {
  const { status, drop, refuse_cursor } = request.state.fault ?? {}
  return drop || refuse_cursor || (status !== undefined && !(isReplayable(request) && status !== 429))
}

function sendRefusal(reply: FastifyReply, { status, body, headers: more }: Refused): FastifyReply {
  return reply
    .code(status)
    .header(headers.traceId, reply.request.state.traceId)
    .headers(more)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(body))
}

function sendPage(
  reply: FastifyReply,
  { status, contentType, headers: more, bytes }: PageReply,
): FastifyReply {
  return reply.code(status).headers(more).type(contentType).send(bytes)
}

/** Opened in a browser, and no part of the API. */
function isForPerson(request: FastifyRequest): boolean {
  return wantsPage(request) && !request.url.startsWith(`${basePath}/`)
}

function hasCursor(query: unknown): boolean {
  return typeof query === 'object' && query !== null && 'cursor' in query
}

/** Its protocol asks for another status. */
function isConnector(url: string): boolean {
  return pathOf(url.split('?', 1)[0] ?? '') === connectorPath
}

/** Controls, console and pages about errors: no part of the service, so they are not in its log, and no fault is meant for them. */
function isForUser(url: string): boolean {
  return /^\/(?:_emulator|console|errors|favicon\.ico)(?:[/?]|$)|^\/(?:\?|$)/.test(url)
}

/** The path under the base, as the contract writes it. */
function pathOf(url: string): string {
  const path = url.split('?', 1)[0] ?? url
  return path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : path
}

/** 405 with the methods the path takes, or 404. */
function noRoute({ method, url }: FastifyRequest): ServiceError {
  const allowed = methodsOf(url.split('?', 1)[0] ?? url)
  if (allowed.length === 0) return notFound('path')
  return new ServiceError('invalid_request', `${method} is not allowed here.`, {
    status: 405,
    allow: allowed.join(', '),
  })
}

/** Announces the whole body and sends half of it; of a stream, whose end may never come, half of its first part. */
function cutShort(reply: FastifyReply, payload: unknown): unknown {
  if (payload instanceof Readable) return Readable.from(halfOfFirst(payload))
  const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload
  if (!Buffer.isBuffer(bytes)) return payload
  reply.header('content-length', bytes.length)
  return Readable.from(half(bytes))
}

async function* halfOfFirst(stream: Readable): AsyncGenerator<Buffer> {
  for await (const part of stream) yield* half(Buffer.from(part as Uint8Array))
}

async function* half(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes.subarray(0, Math.floor(bytes.length / 2))
  // Later than the write, so that the first half is on its way.
  await new Promise((resolve) => setTimeout(resolve, 20))
  throw new Error('cut short by a fault')
}

export function formOf(body: unknown): URLSearchParams {
  const received = body as Received | undefined
  return new URLSearchParams(received?.bytes.toString('utf8') ?? '')
}

const paths = everyEndpoint().map(({ endpoint: { method, path } }) => ({
  method,
  matches: new RegExp(`^${basePath}${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}))

/** The methods of the contract's operations at this path, without `/v3` nothing. */
function methodsOf(path: string): string[] {
  return [...new Set(paths.filter(({ matches }) => matches.test(path)).map(({ method }) => method))]
}
