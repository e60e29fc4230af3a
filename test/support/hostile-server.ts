/** A loopback service that misbehaves in a chosen way and records its requests. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { onTestFinished } from 'vitest'

export interface HostileServer {
  /** Ends in /v3. */
  readonly baseUrl: string
  readonly origin: string
  /** `GET /v3/clients` and so on, in order. */
  readonly requests: string[]
  /** The Authorization headers of the requests. */
  readonly credentials: string[]
}

type Behaviour = (response: ServerResponse, request: IncomingMessage) => void

/** Answers every request with `behave` until the test ends. */
export async function hostileServer(behave: Behaviour): Promise<HostileServer> {
  const requests: string[] = []
  const credentials: string[] = []
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    if (request.headers.authorization !== undefined) credentials.push(request.headers.authorization)
    response.on('error', () => {})
    behave(response, request)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { baseUrl: `${origin}/v3`, origin, requests, credentials }
}

const json = { 'Content-Type': 'application/json' }

/** Ways to misbehave. */
export const answers = {
  status:
    (status: number, headers: Record<string, string> = {}, body = ''): Behaviour =>
    (response) =>
      response.writeHead(status, headers).end(body),
  json:
    (value: unknown): Behaviour =>
    (response) =>
      response.writeHead(200, json).end(JSON.stringify(value)),
  html: ((response) =>
    response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>Welcome</html>')) as Behaviour,
  /** Closes the connection after half of Content-Length. */
  cut:
    (type: string, half: string): Behaviour =>
    (response) => {
      response.writeHead(200, { 'Content-Type': type, 'Content-Length': half.length * 2 })
      response.write(half, () => response.destroy())
    },
  /** Sends a byte per second, endlessly. */
  drip: ((response) => {
    response.writeHead(200, json).write('{"data":[')
    const timer = setInterval(() => response.write(' '), 1000)
    response.on('close', () => clearInterval(timer))
  }) as Behaviour,
  /** 256 MB of zeros, compressed to a quarter of 1 MB. */
  gzipBomb: ((response) => {
    const bomb = gzipSync(Buffer.alloc(2 ** 28))
    response.writeHead(200, { ...json, 'Content-Encoding': 'gzip' }).end(bomb)
  }) as Behaviour,
} as const
