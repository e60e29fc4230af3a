/** HTTP routes of the hosted pages, which a user opens in a browser. */
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Engine } from '../engine/engine.ts'
import { foreignForm } from '../pages/closing-pages.ts'
import type { PageReply } from '../pages/document.ts'
import { formFields } from '../pages/html.ts'
import type { Environment } from '../store/customers.ts'
import { chooseInstitution, connectPath, connectSessionPage } from './connect-session.ts'
import { answerReauthorize, openReauthorize } from './reauthorize.ts'
import { answerWidget, openWidget } from './widget.ts'

interface Token {
  Params: { token: string }
}

/** `formOf` reads an urlencoded body. */
export function hostedRoutes(
  app: FastifyInstance,
  engine: Engine,
  environment: Environment,
  formOf: (body: unknown) => URLSearchParams,
): void {
  app.get<{ Querystring: Record<string, unknown> }>(connectPath, ({ query }, reply) => {
    const text = (name: string) => (typeof query[name] === 'string' ? query[name] : '')
    return send(
      reply,
      connectSessionPage(engine, environment, text(formFields.token), text(formFields.query).slice(0, 200)),
    )
  })
  app.post(connectPath, fromOwnPage, ({ body }, reply) =>
    send(reply, chooseInstitution(engine, environment, formOf(body))),
  )
  app.get<Token>('/widget/:token', ({ params, url }, reply) =>
    send(reply, openWidget(engine, environment, params.token, queryOf(url))),
  )
  app.post<Token>('/widget/:token', fromOwnPage, ({ params, body }, reply) =>
    send(reply, answerWidget(engine, environment, params.token, formOf(body))),
  )
  app.get<Token>('/reauthorize/:token', ({ params, url }, reply) =>
    send(reply, openReauthorize(engine, environment, params.token, queryOf(url))),
  )
  app.post<Token>('/reauthorize/:token', fromOwnPage, ({ params, body }, reply) =>
    send(reply, answerReauthorize(engine, environment, params.token, formOf(body))),
  )
}

const queryOf = (url: string) => new URLSearchParams(url.split('?')[1])

/** For routes that change something: refuses the form of another site's page, which a browser would send for its user. */
const fromOwnPage = {
  async onRequest({ headers }: FastifyRequest, reply: FastifyReply) {
    if (!isFromOwnPage(headers)) return send(reply, foreignForm)
  },
}

/** Programs send neither header, browsers of today both. */
function isFromOwnPage({ origin, host, 'sec-fetch-site': site }: IncomingHttpHeaders): boolean {
  const sameOrigin = origin === undefined || origin === `http://${host}`
  return sameOrigin && (site === undefined || site === 'same-origin' || site === 'none')
}

function send(reply: FastifyReply, { status, contentType, headers, bytes }: PageReply): FastifyReply {
  return reply.code(status).headers(headers).type(contentType).send(bytes)
}
