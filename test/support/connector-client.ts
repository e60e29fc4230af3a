/** Clients of an emulator's connector, of the current revision of the protocol and of the one before. */
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { onTestFinished } from 'vitest'
import type { Emulator } from '../../src/emulator/start.ts'

export const revisions = ['2026-07-28', '2025-11-25'] as const
export type Revision = (typeof revisions)[number]

export interface Connecting {
  readonly base?: 'sandbox' | 'live'
  /** By default the base's own. */
  readonly key?: string
  readonly revision?: Revision
  /** Called with the bytes of each answer. */
  readonly onAnswer?: (bytes: number) => void
}

export const connectorOf = (emulator: Emulator, base: 'sandbox' | 'live' = 'sandbox') =>
  new URL('/mcp', emulator[base].base_url)

/** A client that is closed after the test. */
export async function mcpClient(
  emulator: Emulator,
  { base = 'sandbox', key = emulator[base].api_key, revision = '2026-07-28', onAnswer }: Connecting = {},
): Promise<Client> {
  const mode = revision === '2025-11-25' ? 'legacy' : { pin: revision }
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } })
  const headers = { authorization: `Bearer ${key}` }
  const measuring: typeof fetch = async (...call) => {
    const response = await fetch(...call)
    onAnswer?.((await response.clone().arrayBuffer()).byteLength)
    return response
  }
  const transport = new StreamableHTTPClientTransport(connectorOf(emulator, base), {
    requestInit: { headers },
    ...(onAnswer ? { fetch: measuring } : {}),
  })
  await client.connect(transport)
  onTestFinished(() => client.close())
  return client
}

export interface Called {
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the fields it reads
  readonly content: any
  /** The API's error object, when the call ended with one. */
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the fields it reads
  readonly error: any
}

/** Calls a tool. Throws when the text of the answer is not its structured content. */
export async function callTool(
  client: Client,
  name: string,
  input: Record<string, unknown> = {},
): Promise<Called> {
  const { content, structuredContent, isError } = await client.callTool({ name, arguments: input })
  const [first] = content
  const text = JSON.parse(first?.type === 'text' ? first.text : '')
  if (!isError && JSON.stringify(text) !== JSON.stringify(structuredContent)) {
    throw new Error(`${name} says something else in its text`)
  }
  return { content: structuredContent, error: isError ? text.error : undefined }
}

/** A loopback proxy that adds the key, for clients that send none. It is closed after the test. */
export async function withKey(emulator: Emulator): Promise<string> {
  const { hostname, port, pathname } = connectorOf(emulator)
  const authorization = `Bearer ${emulator.sandbox.api_key}`
  const server = createServer((incoming, outgoing) => {
    const { method, headers } = incoming
    const onward = request({ hostname, port, path: pathname, method, headers: { ...headers, authorization } })
    onward.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    onward.on('error', () => outgoing.destroy())
    outgoing.on('close', () => onward.destroy())
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`
}
