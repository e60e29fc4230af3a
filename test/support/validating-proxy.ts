/**
 * Passes requests on to the emulator as they are, and their answers back, and lets Prism compare both with the OpenAPI
 * document.
 */
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import {
  createInstance,
  getHttpOperationsFromSpec,
  type IHttpRequest,
  type IHttpResponse,
} from '@stoplight/prism-http'
import { basePath } from '../../src/contract/service.ts'
import { recordedDocument } from '../../src/openapi/openapi.ts'

export interface Violation {
  readonly of: 'request' | 'answer'
  readonly text: string
}

export interface ValidatingProxy {
  /** Its own address, ending in /v3. */
  readonly baseUrl: string
  /** What was found since the last call. */
  violations(): Promise<Violation[]>
  close(): Promise<void>
}

interface Exchange {
  readonly method: string
  readonly url: URL
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  readonly status: number
  readonly answerHeaders: IncomingHttpHeaders
  readonly answer: Buffer
}

export async function validatingProxy(upstream: string): Promise<ValidatingProxy> {
  const findingsOf = await validator(upstream)
  let checks: Promise<Violation[]>[] = []
  const server = createServer((incoming, response) => {
    passOn(incoming, response, new URL(upstream)).then(
      (exchange) => checks.push(findingsOf(exchange)),
      // A connection that was dropped on either side has no whole answer to look at.
      () => response.destroy(),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}${basePath}`,
    async violations() {
      const found = await Promise.all(checks)
      checks = []
      return found.flat()
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function passOn(incoming: IncomingMessage, response: ServerResponse, upstream: URL): Promise<Exchange> {
  const { method = '', headers } = incoming
  const url = new URL(incoming.url ?? '', upstream)
  const body = await buffer(incoming)
  const answered = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(url, { method, headers: { ...headers, host: upstream.host } }, resolve)
    sent.on('error', reject)
    sent.end(body)
  })
  response.writeHead(answered.statusCode ?? 0, answered.rawHeaders)
  const answer = await buffer(answered)
  response.end(answer)
  const { statusCode: status = 0, headers: answerHeaders } = answered
  return { method, url, headers, body, status, answerHeaders, answer }
}

/** Finds what Prism has to say about an exchange. Only an accepted request has to be as the document says. */
async function validator(upstream: string): Promise<(exchange: Exchange) => Promise<Violation[]>> {
  const document = recordedDocument({ version: '3.1', servers: [upstream] })
  const operations = await getHttpOperationsFromSpec(JSON.parse(JSON.stringify(document)))
  return async ({ method, url, headers, body, status, answerHeaders, answer }) => {
    const path = url.pathname.replace(basePath, '')
    if (path === url.pathname) return []
    const accepted = status < 300
    const { 'content-type': type, ...others } = headers
    const input = {
      method: method.toLowerCase(),
      url: { path, query: Object.fromEntries(url.searchParams) },
      // The type of no body means nothing.
      headers: body.length === 0 ? others : { ...others, 'content-type': type },
      body: bodyOf(body, headers),
    }
    const output = { statusCode: status, headers: answerHeaders, body: bodyOf(answer, answerHeaders) }
    const prism = createInstance(config(upstream, accepted), {
      logger: silent as never,
      forward: () => () => async () => ({ _tag: 'Right', right: output as IHttpResponse }),
    })
    const words = (text: string) => `${method} ${path} ${status}: ${text}`
    try {
      const result = await prism.request(input as IHttpRequest, operations)()
      if (result._tag === 'Left') return accepted ? [{ of: 'request', text: words(result.left.message) }] : []
      const { input: ofRequest, output: ofAnswer } = result.right.validations
      // A path that the document lacks is refused, as it should be.
      if (status === 404 && ofRequest.some(({ message }) => message === 'Selected route not found')) return []
      const told = (of: Violation['of'], { path: place = [], message }: (typeof ofRequest)[number]) => ({
        of,
        text: words(`${place.join('.')} ${message}`),
      })
      return [...ofRequest.map((one) => told('request', one)), ...ofAnswer.map((one) => told('answer', one))]
    } catch (error) {
      // Prism throws at a type that is none.
      return [{ of: 'request', text: words(String(error)) }]
    }
  }
}

const config = (upstream: string, accepted: boolean) => ({
  checkSecurity: accepted,
  validateRequest: accepted,
  validateResponse: true,
  errors: false,
  isProxy: true as const,
  upstream: new URL(upstream),
  upstreamProxy: undefined,
  mock: { dynamic: false },
})

const silent = { child: () => silent, info() {}, warn() {}, error() {}, debug() {}, success() {}, trace() {} }

function bodyOf(bytes: Buffer, headers: IncomingHttpHeaders): unknown {
  if (bytes.length === 0) return undefined
  const text = bytes.toString('latin1')
  if (!headers['content-type']?.startsWith('application/json')) return text
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return text
  }
}
