/** Starts `bankapi mcp` of the built program and talks to it as an assistant does, with the SDK's client. */
import { type CallToolResult, Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { onTestFinished } from 'vitest'
import { bin } from './built-program.ts'

/** `legacy` opens with the handshake of 2025-11-25, `modern` is revision 2026-07-28. */
export type Era = 'legacy' | 'modern'

export interface TestAssistant {
  readonly client: Client
  readonly transport: StdioClientTransport
  /** What it wrote to stderr so far. */
  stderr(): string
  /** The result of a tool, as it came. */
  result(name: string, input?: Readonly<Record<string, unknown>>): Promise<CallToolResult>
  /** The structured content of a tool that succeeded; throws what it said otherwise. */
  call<Content = Record<string, never>>(
    name: string,
    input?: Readonly<Record<string, unknown>>,
  ): Promise<Content>
  /** The error of a tool that failed. */
  failure(
    name: string,
    input?: Readonly<Record<string, unknown>>,
  ): Promise<{ readonly code: string; readonly message: string; readonly hint?: string }>
  toolNames(): Promise<string[]>
}

/** Ends with the test. `flags` are those of `bankapi mcp`. */
export async function openAssistant(
  { env, folder }: { readonly env: Readonly<Record<string, string>>; readonly folder: string },
  flags: readonly string[] = [],
  { era = 'modern' }: { readonly era?: Era } = {},
): Promise<TestAssistant> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [bin, 'mcp', ...flags],
    env: { ...env },
    cwd: folder,
    stderr: 'pipe',
  })
  let stderr = ''
  transport.stderr?.on('data', (bytes: Buffer) => {
    stderr += bytes.toString()
  })
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' } },
  )
  onTestFinished(() => client.close())
  await client.connect(transport)
  const result: TestAssistant['result'] = async (name, input = {}) =>
    (await client.callTool({ name, arguments: { ...input } })) as CallToolResult
  return {
    ...{ client, transport, result },
    stderr: () => stderr,
    async call<Content>(name: string, input?: Readonly<Record<string, unknown>>) {
      const { isError, structuredContent, content } = await result(name, input)
      if (isError === true) throw new Error(`${name}: ${JSON.stringify(content)}`)
      return structuredContent as Content
    },
    async failure(name, input) {
      const { isError, content } = await result(name, input)
      if (isError !== true) throw new Error(`${name} did not fail: ${JSON.stringify(content)}`)
      return JSON.parse((content[0] as { text: string }).text).error
    },
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
  }
}
