/** An integrator's server: it records what it gets and answers 200. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { EventEnvelope } from '../../src/contract/events.ts'

export interface Received {
  readonly headers: NodeJS.Dict<string | string[]>
  readonly body: Buffer
  readonly event: EventEnvelope
}

export interface Receiver {
  readonly url: string
  all(): readonly Received[]
  /** The first event of a type; waits up to 20 s for it. */
  received(type: string): Promise<Received>
  close(): Promise<void>
}

export async function receiver(): Promise<Receiver> {
  const got: Received[] = []
  const waiting = new Set<() => void>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks)
      got.push({ headers: request.headers, body, event: JSON.parse(body.toString('utf8')) })
      response.end('ok')
      for (const look of waiting) look()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    all: () => got,
    received: (type) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = got.find(({ event }) => event.type === type)
          if (found === undefined) return
          clearTimeout(timer)
          waiting.delete(look)
          resolve(found)
        }
        const timer = setTimeout(
          () => reject(new Error(`no ${type} in 20 s: ${got.map((r) => r.event.type)}`)),
          20_000,
        )
        waiting.add(look)
        look()
      }),
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
