/** Collects the chunks of a body in one buffer that doubles: memory follows its bytes, however small the chunks are. */

/** V8 keeps so few bytes with the object, which costs no allocation of their own. */
const FIRST_CAPACITY = 64

export class GrowingBuffer {
  readonly #max: number
  #buffer: Buffer
  #length = 0

  /** Takes at most `max` bytes. */
  constructor(max: number) {
    this.#max = max
    this.#buffer = Buffer.alloc(0)
  }

  get byteLength(): number {
    return this.#length
  }

  /** Adds a copy of the chunk. False, with nothing added, when that would be more than the maximum. */
  append(chunk: Uint8Array): boolean {
    const length = this.#length + chunk.byteLength
    if (length > this.#max) return false
    if (length > this.#buffer.length) this.#grow(length)
    this.#buffer.set(chunk, this.#length)
    this.#length = length
    return true
  }

  /** The bytes so far, without a copy. Bytes added later are not in it. */
  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length)
  }

  #grow(needed: number): void {
    const capacity = Math.min(this.#max, Math.max(needed, 2 * this.#buffer.length, FIRST_CAPACITY))
    const larger = Buffer.alloc(capacity)
    larger.set(this.bytes())
    this.#buffer = larger
  }
}
