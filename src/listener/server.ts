/** The HTTP server of the listener: passes complete deliveries on and refuses all other requests. */
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { HeaderPair } from '../inbox/delivery-rows.ts'
import { limitPipelining } from '../pipelining.ts'
import { requestInTurns } from '../turns.ts'
import type { BodyMemory } from './body-memory.ts'
import type { Connections } from './connections.ts'
import { headerPairs } from './delivery-headers.ts'
import { acceptsHost } from './host-guard.ts'
import { Incomplete, Overloaded, type RequestBody, readBody } from './read-body.ts'
import { type DeliveryResponse, type IncomingDelivery, jsonResponse } from './receive.ts'
import { escapesPrefix, isBelow } from './request-path.ts'

export interface Refused {
  status: number
  method: string
  path: string
  why: string
}

export interface DeliveryServerOptions {
  boundTo: string
  publicUrl: string | undefined
  /** Without a trailing slash; empty for every path. */
  prefix: string
  maxBodyBytes: number
  memory: BodyMemory
  connections: Connections
  requestTimeoutMs: number
  receive: (delivery: IncomingDelivery) => Promise<DeliveryResponse>
  onRefused: (refused: Refused) => void
  /** Called with errors of `receive`; the sender is answered 500 and will try again. */
  onError: (error: Error) => void
}

export function createDeliveryServer(options: DeliveryServerOptions): Server {
  const { requestTimeoutMs, connections } = options
  const server = createServer(
    {
      requestTimeout: requestTimeoutMs,
      headersTimeout: Math.ceil(requestTimeoutMs / 3),
      connectionsCheckingInterval: Math.min(1000, Math.ceil(requestTimeoutMs / 10)),
      keepAliveTimeout: 5000,
      maxHeaderSize: 16 * 1024,
    },
    limitPipelining((request, response) => void handle(request, response, server, options)),
  )
  server.on('connection', (socket: Socket) => connections.add(socket))
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    // No 100 Continue for a body announced as too large.
    if (Number(request.headers['content-length'] ?? 0) <= options.maxBodyBytes) response.writeContinue()
    server.emit('request', request, response)
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) =>
    onClientError(error, socket, options),
  )
  return server
}

/** Up to this size, copying a body costs less than sending it separately. */
const MAX_COPIED_BYTES = 4096

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  server: Server,
  options: DeliveryServerOptions,
): Promise<void> {
  const { method = '', url: path = '/' } = request
  const refuse = (status: number, code: string, why: string, headers: HeaderPair[] = []): void => {
    // Node would throw an unread body of very many chunks away in one go.
    if (request.readableFlowing === null) request.on('data', requestInTurns(request))
    options.onRefused({ status, method, path, why })
    const answer = jsonResponse(status, { error: { code } })
    write(response, { ...answer, headers: [...answer.headers, ...headers] }, true)
  }
  if (!acceptsHost(request.headers.host, options)) {
    return refuse(421, 'host_not_allowed', 'the Host header names neither loopback nor the --public-url')
  }
  if (escapesPrefix(path))
    return refuse(400, 'bad_path', 'its path could lead out of the --path and the target')
  if (!isBelow(options.prefix, path)) return refuse(404, 'no_such_path', 'the listener has another --path')
  if (method !== 'POST') {
    return refuse(405, 'method_not_allowed', 'a delivery is a POST', [['Allow', 'POST']])
  }
  let received: RequestBody
  try {
    received = await readBody(request, { maxBytes: options.maxBodyBytes, memory: options.memory })
  } catch (error) {
    if (error instanceof Overloaded) {
      return refuse(503, 'overloaded', 'too many bodies were arriving at once', [['Retry-After', '1']])
    }
    if (error instanceof Incomplete && !reported.has(request.socket)) {
      options.onRefused({ status: 400, method, path, why: 'the sender ended before its body did' })
    }
    return
  }
  const { socket } = request
  options.connections.arrived(socket)
  try {
    const { body, tooLarge } = received
    const rawHeaders = headerPairs(request.rawHeaders)
    const { headers } = request
    const answer = await options.receive({ method, path, rawHeaders, headers, body, tooLarge })
    write(response, answer, tooLarge || !server.listening)
  } catch (error) {
    options.onError(error as Error)
    write(response, jsonResponse(500, { error: { code: 'listener_failed' } }), true)
  } finally {
    received.release()
    options.connections.answered(socket)
  }
}

function write(response: ServerResponse, { status, headers, body }: DeliveryResponse, last: boolean): void {
  const all: HeaderPair[] = [...headers, ['Content-Length', String(body.byteLength)]]
  if (last) all.push(['Connection', 'close'])
  try {
    response.writeHead(status, all.flat())
    // Given text of the same bytes, node writes head and body together: cheaper than twice.
    if (body.byteLength <= MAX_COPIED_BYTES) response.end(latin1(body), 'latin1')
    else response.end(body)
  } catch {
    // The target sent a header or status that node refuses to write.
    response.destroy()
  }
}

function latin1({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1')
}

/** Sockets whose failure was reported: their requests fail as a consequence. */
const reported = new WeakSet<Socket>()

const clientErrors: Readonly<Record<string, [status: number, why: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'its headers are larger than 16 KiB'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'its chunk extensions are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'it took too long to arrive'],
}

/** How long a sender whose request was broken gets to read that. */
const LINGER_MS = 1000

/** A request that node could not parse. A socket that was reset, or never sent a byte, is not reported. */
function onClientError(
  error: NodeJS.ErrnoException,
  socket: Socket,
  { onRefused }: DeliveryServerOptions,
): void {
  if (!socket.writable) return
  const [status, why] = clientErrors[error.code ?? ''] ?? [400, 'it is no HTTP request']
  reported.add(socket)
  if (socket.bytesRead > 0) onRefused({ status, method: '', path: '', why })
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
  // Ended alone, a socket stays until the other side ends too.
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}
