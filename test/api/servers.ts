/** Starts servers on loopback: one that speaks HTTP, and one that sends any bytes. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createNetServer, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export interface Heard {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

export interface Listening {
  readonly port: number
  /** `http://127.0.0.1:<port>/v3` */
  readonly baseUrl: string
}

type Answerer = (request: Heard, response: ServerResponse, number: number) => unknown

/** Serves HTTP until the end of the test. `number` counts the requests from 1. */
export async function serve(answer: Answerer): Promise<Listening & { readonly heard: Heard[] }> {
  const heard: Heard[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method = '', url = '', headers } = request
    const one = { method, url, headers, body: Buffer.concat(chunks) }
    heard.push(one)
    await answer(one, response, heard.length)
  })
  return { ...(await listen(server)), heard }
}

/** Passes each connection, with its first bytes, to the test. */
export async function serveBytes(
  answer: (socket: Socket, received: Buffer, number: number) => unknown,
): Promise<Listening & { readonly received: Buffer[] }> {
  const received: Buffer[] = []
  const server = createNetServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', (bytes: Buffer) => {
      received.push(bytes)
      answer(socket, bytes, received.length)
    })
  })
  return { ...(await listen(server)), received }
}

/** A port without a listener. */
export async function deadPort(): Promise<number> {
  const server = createNetServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const port = portOf(server)
  await new Promise((resolve) => server.close(resolve))
  return port
}

export async function listen(server: Server): Promise<Listening> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  const port = portOf(server)
  return { port, baseUrl: `http://127.0.0.1:${port}/v3` }
}

function portOf(server: Server): number {
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the server has no port')
  return address.port
}

export function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'Content-Type': 'application/json', 'X-LS-Trace-Id': 'trace-1', ...headers })
  response.end(JSON.stringify(body))
}

/** The error envelope of the reference. */
export function envelope(code: string, message = `about ${code}`): object {
  return { error: { code, message, type: 'some_error', trace_id: 'trace-in-body' } }
}
