/** HTTP routes of the console, at the root of the sandbox base. */
import { readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../engine/errors.ts'
import { tokens } from '../pages/style.ts'
import { actions, type ConsoleAction, type ConsoleParts } from './actions.ts'
import { filtersOf } from './filters.ts'
import { isFromThisOrigin } from './guard.ts'
import { createLive } from './live.ts'
import { deliveryOf, overviewOf, unsubscribedEvent } from './overview.ts'
import { type ConsoleView, consolePage } from './page.ts'
import { howToOpenPage, wantsPage } from './places.ts'

const consolePath = '/console'

/** Of every answer with something in it that is for the user alone. */
const privateHeaders = {
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
} as const

/** The page loads its style and its script from here, and nothing from anywhere else. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

const files = {
  '/page.js': ['page.js', 'text/javascript; charset=utf-8'],
  '/style.css': ['style.css', 'text/css; charset=utf-8'],
} as const

interface Numbered {
  Params: { id: string }
}

export function consoleRoutes(app: FastifyInstance, parts: ConsoleParts): void {
  const { engine, log, guard } = parts
  const live = createLive(() => engine.store.db.changes())

  app.get<{ Querystring: { token?: unknown } }>('/', (request, reply) => {
    if (!wantsPage(request)) return reply.callNotFound()
    const { token } = request.query
    if (typeof token !== 'string') return show(request, reply, { kind: 'overview' })
    if (!guard.knows(token)) return refusePage(reply)
    return reply
      .code(303)
      .headers({ ...privateHeaders, location: '/', 'set-cookie': guard.cookie(request.headers.host) })
      .send()
  })

  app.register(
    async (scope) => {
      for (const [path, [file, type]] of Object.entries(files)) {
        scope.get(path, (_request, reply) =>
          reply
            .headers(privateHeaders)
            .type(type)
            .send(file === 'style.css' ? `${tokens}${fileNamed(file)}` : fileNamed(file)),
        )
      }
      scope.get<Numbered>('/requests/:id', (request, reply) => {
        const found = log.get(numberIn(request))
        return found ? show(request, reply, { kind: 'request', request: found }) : gone(request, reply)
      })
      scope.get<Numbered>('/deliveries/:id', (request, reply) => {
        const found = deliveryOf(parts, numberIn(request))
        return found ? show(request, reply, { kind: 'delivery', delivery: found }) : gone(request, reply)
      })
      scope.get<Numbered>('/events/:id', (request, reply) => {
        const found = unsubscribedEvent(parts, numberIn(request))
        return found ? show(request, reply, { kind: 'delivery', delivery: found }) : gone(request, reply)
      })
      scope.get('/live', (request, reply) => {
        if (!guard.admits(request.headers) || !isFromThisOrigin(request.headers)) throw notAllowed()
        reply.hijack()
        reply.raw.writeHead(200, { ...privateHeaders, 'content-type': 'text/event-stream' })
        if (!live.add(reply.raw)) reply.raw.end()
      })
      change(scope, '/advance', actions.advance)
      change(scope, '/trigger', actions.trigger)
      change(scope, '/test-event', actions.testEvent)
      change(scope, '/deliveries/:id/replay', actions.replay)
    },
    { prefix: consolePath },
  )

  function show(request: FastifyRequest, reply: FastifyReply, view: ConsoleView): FastifyReply {
    if (!guard.admits(request.headers)) return refusePage(reply)
    const filters = filtersOf(request.query as Record<string, unknown>)
    return sendPage(reply, consolePage(overviewOf(parts, filters), view, guard.formToken))
  }

  function gone(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    return show(request, reply.code(404), { kind: 'gone' })
  }

  function refusePage(reply: FastifyReply): FastifyReply {
    return reply
      .code(403)
      .headers(privateHeaders)
      .headers(howToOpenPage.headers)
      .type(howToOpenPage.contentType)
      .send(howToOpenPage.bytes)
  }

  /** A form of the console. Its script asks for JSON and shows the sentence; without it the browser goes back. */
  function change(scope: FastifyInstance, path: string, act: ConsoleAction): void {
    scope.post<Numbered>(path, { bodyLimit: 16 * 1024 }, async (request, reply) => {
      const form = parts.formOf(request.body)
      if (!guard.admitsChange(request.headers, form.get('token'))) throw notAllowed()
      const { said, goTo = '/' } = await act(parts, form, numberIn(request))
      if (wantsPage(request))
        return reply
          .code(303)
          .headers({ ...privateHeaders, location: goTo })
          .send()
      return reply.headers(privateHeaders).send({ said, go_to: goTo })
    })
  }
}

function sendPage(reply: FastifyReply, markup: string): FastifyReply {
  return reply
    .headers({ ...privateHeaders, 'content-security-policy': contentSecurityPolicy })
    .type('text/html; charset=utf-8')
    .send(markup)
}

function notAllowed(): ServiceError {
  return new ServiceError(
    'invalid_request',
    'Only a page of the console may do this. Open the address that the start printed.',
    {
      status: 403,
    },
  )
}

/** The number in the path; one that no row has for anything else. */
function numberIn({ params }: FastifyRequest): number {
  const { id = '' } = params as { id?: string }
  return /^\d{1,15}$/.test(id) ? Number(id) : 0
}

const read = new Map<string, string>()

/** A file of the folder `browser/`, which the build copies beside the program. */
function fileNamed(name: string): string {
  const text = read.get(name) ?? readFileSync(new URL(`./browser/${name}`, import.meta.url), 'utf8')
  read.set(name, text)
  return text
}
