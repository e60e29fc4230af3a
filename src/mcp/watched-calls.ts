/**
 * Watches the calls of tools on their way: each leaves a line for the log, also one that is cancelled, of a tool that is not
 * offered or whose input is refused, and what the SDK says of such a call names the environment, and quotes no more than fits.
 */
import type { Clock } from '../api/options.ts'
import type { JSONRPCMessage, Transport } from '../mcp-sdk.ts'
import { MAX_ANSWER_BYTES } from './answer.ts'
import { visibleText } from './bank-text.ts'
import type { Outcome } from './call-log.ts'

const MAX_QUOTED = 500
/** A call that the client gave up, or went away from, is never answered. */
const cancelled = { outcome: 'cancelled', bytes: 0 }

type RequestId = string | number

export interface WatchOptions {
  /** As every answer names it. */
  readonly environment: string
  readonly clock: Pick<Clock, 'elapsed'>
  readonly onCall: (outcome: Outcome) => void
}

interface CallUnderWay {
  readonly tool: string
  readonly started: number
}

export class WatchedCalls implements Transport {
  readonly #inner: Transport
  readonly #options: WatchOptions
  readonly #calls = new Map<RequestId, CallUnderWay>()
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void

  constructor(inner: Transport, options: WatchOptions) {
    this.#inner = inner
    this.#options = options
    inner.onclose = () => {
      for (const id of this.#calls.keys()) this.#ended(id, cancelled)
      this.onclose?.()
    }
    inner.onerror = (error) => this.onerror?.(error)
    inner.onmessage = (message) => {
      if ('method' in message) this.#received(message)
      this.onmessage?.(message)
    }
  }

  #received(message: Extract<JSONRPCMessage, { method: string }>): void {
    if ('id' in message && message.method === 'tools/call') {
      const tool = visibleText(String(message.params?.['name']), 100)
      this.#calls.set(message.id, { tool, started: this.#options.clock.elapsed() })
    } else if (message.method === 'notifications/cancelled') {
      this.#ended(message.params?.['requestId'] as RequestId, cancelled)
    }
  }

  /** Each call ends once. */
  #ended(id: RequestId, ending: Pick<Outcome, 'outcome' | 'bytes'>): void {
    const call = this.#calls.get(id)
    if (call === undefined) return
    this.#calls.delete(id)
    const { clock, onCall } = this.#options
    onCall({ tool: call.tool, ms: Math.round(clock.elapsed() - call.started), ...ending })
  }

  start(): Promise<void> {
    return this.#inner.start()
  }

  close(): Promise<void> {
    return this.#inner.close()
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const id = 'method' in message ? undefined : message.id
    if (id === undefined || !this.#calls.has(id)) return this.#inner.send(message)
    const { outcome, answer } = judged(message, this.#options.environment)
    this.#ended(id, { outcome, bytes: Buffer.byteLength(JSON.stringify(answer)) })
    await this.#inner.send(answer)
  }
}

/** How a call ended, and its answer: the SDK's own sentences are made to fit. */
function judged(
  message: JSONRPCMessage,
  environment: string,
): { readonly outcome: string; readonly answer: JSONRPCMessage } {
  if ('error' in message) {
    const { code, message: said } = message.error
    const error = { code, message: visibleText(`${environment}: ${said}`, MAX_QUOTED) }
    return { outcome: `protocol_error ${code}`, answer: { ...message, error } }
  }
  const result = ('result' in message ? message.result : {}) as ToolResult
  if (result.isError !== true) return { outcome: 'ok', answer: message }
  const text = result.content?.[0]?.text ?? ''
  const code = text.length <= MAX_ANSWER_BYTES ? codeIn(text) : undefined
  if (code !== undefined) return { outcome: code, answer: message }
  const error = { code: 'invalid_arguments', message: visibleText(text, MAX_QUOTED) }
  const content = [{ type: 'text', text: JSON.stringify({ environment, error }) }]
  return {
    outcome: error.code,
    answer: { ...message, result: { ...result, content } } as unknown as JSONRPCMessage,
  }
}

interface ToolResult {
  readonly isError?: boolean
  readonly content?: readonly { readonly text?: string }[]
}

/** The code of a failure that a tool told; undefined for what the SDK says. */
function codeIn(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: { code?: unknown } }
    return typeof error?.code === 'string' ? error.code : undefined
  } catch {
    return undefined
  }
}
