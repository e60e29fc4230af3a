/** The connector's routes, beside the base path: `/mcp`, and the metadata that a refusal without a key leads to. */
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { scopes } from '../../contract/scopes.ts'
import { connectorPath } from '../../contract/service.ts'
import { ServiceError } from '../engine/errors.ts'
import { belongsHere } from '../server/api-routes.ts'
import { bytesOf, keyOf } from '../server/request.ts'
import { isLoopback } from '../server/request-checks.ts'
import type { Caller, ConnectorServices } from './connector.ts'

/** RFC 9728 puts the path of the resource behind its own. */
const metadataPath = `/.well-known/oauth-protected-resource${connectorPath}`

export function connectorRoutes(app: FastifyInstance, services: ConnectorServices): void {
  const { engine, environment, authenticator } = services
  const origin = () => engine.origins[environment]
  const load = async () => (await import('./connector.ts')).createConnector(app, services)
  let loaded: ReturnType<typeof load> | undefined

  app.addHook('onClose', async () => (await loaded)?.close())

  // No authorization server is named: the sign-in flow is not shown, so the key itself is the token.
  app.get(metadataPath, () => ({
    resource: `${origin()}${connectorPath}`,
    resource_name: `Bank data (${environment})`,
    bearer_methods_supported: ['header'],
    scopes_supported: scopes,
  }))

  app.route({
    method: ['GET', 'POST', 'DELETE'],
    url: connectorPath,
    onRequest(request, reply, done) {
      checkOrigin(request.headers.origin)
      try {
        const key = authenticator.authenticate(request.headers.authorization)
        belongsHere(key.tenant.environment, environment, connectorPath)
        request.state.key = key
      } catch (error) {
        const wrong = request.headers.authorization === undefined ? '' : 'error="invalid_token", '
        reply.header('www-authenticate', `Bearer ${wrong}resource_metadata="${origin()}${metadataPath}"`)
        throw error
      }
      done()
    },
    async handler(request, reply) {
      const { fault, traceId } = request.state
      if (fault?.delay_ms) await services.sleep(fault.delay_ms)
      const gone = new AbortController()
      reply.raw.once('close', () => gone.abort())
      const { authorization = '' } = request.headers
      const caller: Caller = { key: keyOf(request), authorization, traceId, gone: gone.signal }
      loaded ??= load()
      const response = await (await loaded).fetch(webRequest(request, origin(), gone.signal), {
        authInfo: { token: '', clientId: caller.key.id, scopes: [...caller.key.scopes], extra: { caller } },
      })
      return send(reply, response)
    },
  })
}

/** A browser says which page a request is from: only pages of this machine may call. A program sends none. */
function checkOrigin(origin: string | undefined): void {
  if (origin === undefined || isLoopback(URL.parse(origin)?.host)) return
  throw new ServiceError('invalid_request', 'This Origin is not answered here.', {
    param: 'Origin',
    status: 403,
  })
}

function webRequest(request: FastifyRequest, origin: string, signal: AbortSignal): Request {
  const headers = Object.entries(request.headers).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as [string, string]] : [],
  )
  const { method, url } = request
  const body = method === 'POST' ? { body: new Uint8Array(bytesOf(request)) } : {}
  return new Request(`${origin}${url}`, { method, headers, signal, ...body })
}

async function send(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  reply.code(response.status).headers(Object.fromEntries(response.headers))
  if (!response.body) return reply.send()
  // As one text, so that the log of requests shows it and a fault can cut it.
  if (response.headers.get('content-type')?.startsWith('application/json'))
    return reply.send(await response.text())
  return reply.send(Readable.fromWeb(response.body as ReadableStream))
}
