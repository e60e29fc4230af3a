/** Serves an assistant over stdin and stdout until it goes away. stdout carries the protocol and nothing else. */
import type { Readable, Writable } from 'node:stream'
import { StdioServerTransport, serveStdio } from '../mcp-sdk.ts'
import { lackingScopes } from './granted-scopes.ts'
import { createServer, type ServerOptions } from './server.ts'
import { WatchedCalls } from './watched-calls.ts'

/** A message that is longer ends the connection. An argument may be large to be refused in a sentence. */
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024
/** The service is asked no longer than this for what the key may read. */
const SCOPES_WITHIN_MS = 5000

export interface ServeOptions extends Omit<ServerOptions, 'lacking'> {
  readonly stdin: Readable
  readonly stdout: Writable
  readonly signal: AbortSignal
  /** Called with a sentence: a message that is none, a reader that has gone. */
  readonly onProtocolError: (sentence: string) => void
}

/** Resolves when stdin ends or the signal aborts; what is under way is given up then. */
export async function serve({
  stdin,
  stdout,
  signal,
  onProtocolError,
  ...options
}: ServeOptions): Promise<void> {
  // Both eras of the protocol ask for a server, the new one sometimes twice.
  let lacking: Promise<ServerOptions['lacking']> | undefined
  const closed = Promise.withResolvers<void>()
  const transport = new (class extends StdioServerTransport {
    override async close(): Promise<void> {
      await super.close()
      closed.resolve()
    }
  })(stdin, stdout, { maxBufferSize: MAX_MESSAGE_BYTES })
  const { clock, environment } = options.assistant
  const watched = new WatchedCalls(transport, {
    clock,
    environment: environment.shown,
    onCall: options.onCall,
  })
  const handle = serveStdio(
    async () => {
      lacking ??= lackingScopes(
        options.assistant,
        AbortSignal.any([signal, AbortSignal.timeout(SCOPES_WITHIN_MS)]),
      ).catch(() => new Set())
      return createServer({ ...options, lacking: await lacking })
    },
    { transport: watched, onerror: (error) => onProtocolError(sentenceOf(error)) },
  )
  const stop = () => void handle.close()
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  await closed.promise
  signal.removeEventListener('abort', stop)
}

/** The SDK quotes what it could not read, which may be data. */
function sentenceOf(error: Error): string {
  return error instanceof SyntaxError || error.name.endsWith('ZodError')
    ? 'a line on stdin is no message of the protocol, and was left out'
    : error.message
}
