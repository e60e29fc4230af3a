/** Pages at addresses that people open and that are no part of the API: where they lead, and what an error means. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type ErrorCode, errorCode } from '../../contract/errors.ts'
import { basePath } from '../../contract/service.ts'
import { ServiceError } from '../engine/errors.ts'
import { htmlDocument, type PageReply, page } from '../pages/document.ts'
import { type Html, html } from '../pages/html.ts'
import type { Environment } from '../store/customers.ts'

/** Whether a browser shows the answer to a person; programs get what the API answers. */
export function wantsPage({ headers: { accept = '' } }: FastifyRequest): boolean {
  return accept.includes('text/html')
}

/** The answer to whoever opens the console without its address. */
export const howToOpenPage: PageReply = page(
  place(
    'The emulator’s console',
    html`<h1>The emulator’s console</h1>
<p>Requests and deliveries as they come and go, the clock, and what can happen to a Connection. It opens with the address that <code>bankapi emulator start</code> printed, a new one at each start.</p>
<p>This prints it again:</p>
<pre tabindex="0"><code>bankapi emulator status --jq .console_url</code></pre>`,
  ),
  403,
)

/** What a program would get as JSON, for a person who opened an address or sent a form that leads nowhere. */
export function refusalPage(
  { status, message }: Pick<ServiceError, 'status' | 'message'>,
  origin: string,
): PageReply {
  const heading = status === 404 ? 'There is nothing here' : 'This was not done'
  return page(
    place(
      heading,
      html`<h1>${heading}</h1>
<p>${message}</p>
<p>What the emulator does is in <a href="${origin}/">its console</a>.</p>`,
    ),
    status,
  )
}

const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1c4fb4"/>' +
  '<path d="M7 13 16 7l9 6H7Zm2 2h3v7H9v-7Zm5.5 0h3v7h-3v-7Zm5.5 0h3v7h-3v-7ZM7 23.500h18V26H7v-2.500Z" fill="#fff"/></svg>'

interface Code {
  Params: { code: string }
}

/** Of both bases. `origins` are those of the bases, known once they listen. */
export function placeRoutes(
  app: FastifyInstance,
  environment: Environment,
  origins: Readonly<Record<Environment, string>>,
): void {
  app.get('/favicon.ico', (_request, reply) =>
    reply
      .headers({ 'cache-control': 'max-age=86400', 'x-content-type-options': 'nosniff' })
      .type('image/svg+xml')
      .send(icon),
  )
  const baseRoute = (path: string) =>
    app.get(path, (request, reply) => {
      if (!wantsPage(request)) return reply.callNotFound()
      const { headers, contentType, bytes } = basePage(environment, origins)
      return reply.headers(headers).type(contentType).send(bytes)
    })
  for (const path of [basePath, `${basePath}/`]) baseRoute(path)
  // The sandbox has its console there.
  if (environment === 'live') baseRoute('/')
  app.get<Code>('/errors/:code', (request, reply) => {
    const { code } = request.params
    const known = errorCode(code)
    if (known && !wantsPage(request)) return reply.type('text/plain; charset=utf-8').send(asText(code, known))
    if (!known) throw new ServiceError('not_found', `No error of the API has the code ${code}.`)
    const { status, headers, contentType, bytes } = errorPage(code, known)
    return reply.code(status).headers(headers).type(contentType).send(bytes)
  })
}

function basePage(environment: Environment, origins: Readonly<Record<Environment, string>>): PageReply {
  const url = `${origins[environment]}${basePath}`
  const heading =
    environment === 'live' ? 'The live base of the emulator' : 'The sandbox base of the emulator'
  return page(
    place(
      heading,
      html`<h1>${heading}</h1>
<p>Programs send their requests to paths below <code>${url}</code>, with a key as <code>Authorization: Bearer</code>.</p>
<p>This command does${environment === 'live' ? ', with the live key that the start printed' : ''}:</p>
<pre tabindex="0"><code>${environment === 'live' ? `bankapi clients list --base-url ${url}` : 'bankapi clients list --env local'}</code></pre>
<p>What they sent and what they got is in <a href="${origins.sandbox}/">the console</a>.</p>`,
    ),
  )
}

function errorPage(code: string, { condition, hint, status, type, userActionable }: ErrorCode): PageReply {
  return page(
    place(
      code,
      html`<p class="muted small">Error of the API</p>
<h1 class="code">${code}</h1>
<p>${sentence(condition)}</p>
<h2>What to do</h2>
<p>${sentence(hint)}</p>
<dl><dt>HTTP status</dt><dd>${status ?? 'none: it is the error of an Operation or a Connection'}</dd>
<dt>Type</dt><dd><code>${type}</code></dd>
<dt>Who can act</dt><dd>${userActionable ? 'you, or your user' : 'nobody on your side'}</dd></dl>`,
    ),
  )
}

function place(title: string, content: Html): string {
  return htmlDocument({ title, simulation: false, body: html`<div class="place">${content}</div>` })
}

function asText(code: string, { condition, hint }: ErrorCode): string {
  return `${code}\n\nWhen: ${condition}.\nWhat to do: ${hint}.\n`
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}
