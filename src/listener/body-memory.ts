/**
 * Bounds the memory of all bodies in flight: deliveries, and the answers of targets. When it is full, what has been
 * arriving longest gives way: a genuine body arrives within milliseconds, one that is meant to fill the memory stays.
 */

/** GrowingBuffer may hold twice this, and a copy while it grows. */
const MAX_BYTES = 32 * 1024 * 1024

export class BodyMemory {
  #left: number
  readonly #arriving = new Set<HeldBytes>()

  constructor(maxBytes = MAX_BYTES) {
    this.#left = maxBytes
  }

  /** A share of the memory, empty at first. `onDropped` is called when it had to give way. */
  hold(onDropped: () => void): HeldBytes {
    let taken = 0
    const release = () => {
      this.#arriving.delete(held)
      this.#left += taken
      taken = 0
    }
    const held: HeldBytes = {
      take: (bytes) => {
        while (this.#left < bytes) {
          const [oldest] = this.#arriving
          if (oldest === undefined || oldest === held) return false
          oldest.drop()
        }
        this.#left -= bytes
        taken += bytes
        // Not before its first byte: nothing is won by dropping an answer that has not begun.
        this.#arriving.add(held)
        return true
      },
      drop: () => {
        release()
        onDropped()
      },
      arrived: () => this.#arriving.delete(held),
      release,
    }
    return held
  }
}

export interface HeldBytes {
  /** Takes more; false when there is no room, even after older ones gave way. */
  take(bytes: number): boolean
  drop(): void
  /** It is complete, and does not give way any more. */
  arrived(): void
  /** Gives everything back. */
  release(): void
}
