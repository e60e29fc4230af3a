/** Sends one request to a target and reads its whole response, through undici's handler events: cheaper than a stream. */
import type { Dispatcher } from 'undici'
import { GrowingBuffer } from '../growing-buffer.ts'
import type { HeaderPair } from '../inbox/delivery-rows.ts'
import { inTurns } from '../turns.ts'
import type { BodyMemory, HeldBytes } from './body-memory.ts'

export interface Reply {
  status: number
  /** As received, in order. */
  headers: HeaderPair[]
  body: Uint8Array
}

export class Exchange implements Dispatcher.DispatchHandler {
  readonly #reply = Promise.withResolvers<Reply>()
  readonly #body: GrowingBuffer
  readonly #held: HeldBytes
  readonly #countChunk = inTurns({
    pause: () => this.#controller?.pause(),
    resume: () => this.#controller?.resume(),
  })
  #status = 0
  #headers: HeaderPair[] = []
  #controller: Dispatcher.DispatchController | undefined
  #ended: Error | undefined

  constructor({ maxBytes, memory }: { maxBytes: number; memory: BodyMemory }) {
    this.#body = new GrowingBuffer(maxBytes)
    this.#held = memory.hold(() => this.end(new Overloaded()))
  }

  /** Settles as soon as the exchange is over, even when it is ended while undici still waits for a connection. */
  get reply(): Promise<Reply> {
    return this.#reply.promise
  }

  end(reason: Error): void {
    this.#ended = reason
    this.#held.release()
    this.#reply.reject(reason)
    this.#controller?.abort(reason)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#ended === undefined) this.#controller = controller
    else controller.abort(this.#ended)
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    // Those of 1xx are replaced by the final response.
    this.#status = status
    this.#headers = pairs(controller.rawHeaders)
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.#ended !== undefined) return
    this.#countChunk()
    if (!this.#body.append(chunk)) this.end(new TooLarge())
    else if (!this.#held.take(chunk.byteLength)) this.#held.drop()
  }

  onResponseEnd(): void {
    this.#held.release()
    this.#reply.resolve({ status: this.#status, headers: this.#headers, body: this.#body.bytes() })
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#held.release()
    this.#reply.reject(error)
  }
}

export class TooLarge extends Error {}
/** There is no memory for the answer now. */
export class Overloaded extends Error {}

/** undici passes names and values in turn, as bytes. */
function pairs(raw: Dispatcher.DispatchController['rawHeaders']): HeaderPair[] {
  if (!Array.isArray(raw)) return []
  const text = (part: Buffer | string | undefined) =>
    typeof part === 'string' ? part : (part?.toString('latin1') ?? '')
  return Array.from({ length: raw.length >> 1 }, (_, at) => [text(raw[2 * at]), text(raw[2 * at + 1])])
}
