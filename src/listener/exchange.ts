/** Sends one request to a target and reads its whole response, through undici's handler events: cheaper than a stream. */
import type { Dispatcher } from 'undici'
import type { HeaderPair } from '../inbox/delivery-rows.ts'

export interface Reply {
  status: number
  /** As received, in order. */
  headers: HeaderPair[]
  body: Uint8Array
}

export class Exchange implements Dispatcher.DispatchHandler {
  readonly #maxBytes: number
  readonly #reply = Promise.withResolvers<Reply>()
  readonly #chunks: Uint8Array[] = []
  #length = 0
  #status = 0
  #headers: HeaderPair[] = []
  #controller: Dispatcher.DispatchController | undefined
  #ended: Error | undefined

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Settles as soon as the exchange is over, even when it is ended while undici still waits for a connection. */
  get reply(): Promise<Reply> {
    return this.#reply.promise
  }

  end(reason: Error): void {
    this.#ended = reason
    this.#reply.reject(reason)
    this.#controller?.abort(reason)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#ended === undefined) this.#controller = controller
    else controller.abort(this.#ended)
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    // 1xx: the final response is still to come.
    if (status < 200) return
    this.#status = status
    this.#headers = pairs(controller.rawHeaders)
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#length += chunk.byteLength
    if (this.#length > this.#maxBytes) this.end(new TooLarge())
    else this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    const body = Buffer.concat(this.#chunks, this.#length)
    this.#reply.resolve({ status: this.#status, headers: this.#headers, body })
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#reply.reject(error)
  }
}

export class TooLarge extends Error {}

/** undici passes names and values in turn, as bytes. */
function pairs(raw: Dispatcher.DispatchController['rawHeaders']): HeaderPair[] {
  if (!Array.isArray(raw)) return []
  const text = (part: Buffer | string | undefined) =>
    typeof part === 'string' ? part : (part?.toString('latin1') ?? '')
  return Array.from({ length: raw.length >> 1 }, (_, at) => [text(raw[2 * at]), text(raw[2 * at + 1])])
}
