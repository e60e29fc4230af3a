/**
 * An HTTP face in front of a server on stdio, for clients that speak Streamable HTTP only. It gives each request an id of its
 * own, and streams to it what the server sends until the response.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import { bin } from './built-program.ts'

// biome-ignore lint/suspicious/noExplicitAny: messages are passed on as they are
type Json = any

/** Starts `bankapi` with these arguments and returns the address of its HTTP face; both end with the test. */
export async function stdioGateway(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const child = spawn(process.execPath, [bin, ...args], {
    env: { ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const waiting = new Map<string, { readonly id: unknown; readonly response: ServerResponse }>()
  let asked = 0
  const write = (message: Json) => child.stdin.write(`${JSON.stringify(message)}\n`)

  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line) as Json
    const asker = message.method === undefined ? waiting.get(message.id) : [...waiting.values()].at(-1)
    if (asker === undefined) return
    const { response } = asker
    if (message.method !== undefined) {
      if (!response.headersSent) response.writeHead(200, { 'Content-Type': 'text/event-stream' })
      response.write(`data: ${line}\n\n`)
      return
    }
    waiting.delete(message.id)
    const answer = JSON.stringify({ ...message, id: asker.id })
    if (response.headersSent) response.end(`data: ${answer}\n\n`)
    else response.writeHead(statusOf(message), { 'Content-Type': 'application/json' }).end(answer)
  })

  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') {
      response.writeHead(405).end()
      return
    }
    const body = Buffer.concat(await Array.fromAsync(request)).toString()
    let message: Json
    try {
      message = JSON.parse(body)
    } catch {
      const error = { code: -32700, message: 'not JSON' }
      response.writeHead(400).end(JSON.stringify({ jsonrpc: '2.0', id: null, error }))
      return
    }
    if (message.id === undefined || message.method === undefined) {
      write(message)
      response.writeHead(202).end()
      return
    }
    const id = `gateway-${++asked}`
    waiting.set(id, { id: message.id, response })
    response.on('close', () => {
      if (waiting.delete(id))
        write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } })
    })
    write({ ...message, id })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    const ended = once(child, 'exit')
    child.stdin.end()
    await ended
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
}

/** The statuses that revision 2026-07-28 gives to errors of its own. */
function statusOf({ error }: { error?: { code: number } }): number {
  if (error?.code === -32601) return 404
  return error !== undefined && [-32020, -32021, -32022, -32602].includes(error.code) ? 400 : 200
}
