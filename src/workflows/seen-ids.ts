/**
 * Remembers which ids of a list were shown, in 16 to 32 bytes each: a Set of the ids themselves would make the memory
 * for a long list grow with it.
 */
export class SeenIds {
  /** An open-addressing hash table of fingerprints, two numbers each; two zeros are a free slot. At most half full. */
  #slots = new Uint32Array(2 * 256)
  #count = 0
  readonly #seed: number

  /** With a random seed, 32 bits, nobody can construct ids with the same fingerprint. */
  constructor(seed = 0) {
    this.#seed = seed
  }

  /**
   * Returns whether the id is new, and remembers it. The chance that two ids have the same
   * fingerprint is 1 in 2^64 for each pair: among a million ids, 1 in 30 million.
   */
  add(id: string): boolean {
    // Two multiplicative hashes, mixed into each other at the end: 64 bits.
    let a = 0xdeadbeef ^ this.#seed
    let b = 0x41c6ce57 ^ this.#seed
    for (let at = 0; at < id.length; at++) {
      const unit = id.charCodeAt(at)
      a = Math.imul(a ^ unit, 0x9e3779b1)
      b = Math.imul(b ^ unit, 0x5f356495)
    }
    a = Math.imul(a ^ (a >>> 16), 0x85ebca6b) ^ Math.imul(b ^ (b >>> 13), 0xc2b2ae35)
    b = Math.imul(b ^ (b >>> 16), 0x85ebca6b) ^ Math.imul(a ^ (a >>> 13), 0xc2b2ae35)
    if (!insert(this.#slots, a >>> 0, b >>> 0 || 1)) return false
    this.#count += 1
    if (this.#count * 4 > this.#slots.length) this.#grow()
    return true
  }

  #grow(): void {
    const larger = new Uint32Array(this.#slots.length * 2)
    for (let at = 0; at < this.#slots.length; at += 2) {
      const second = this.#slots[at + 1] ?? 0
      if (second !== 0) insert(larger, this.#slots[at] ?? 0, second)
    }
    this.#slots = larger
  }
}

/** Inserts a fingerprint, whose second number is not 0; returns false when it is in the table already. */
function insert(slots: Uint32Array, first: number, second: number): boolean {
  const last = slots.length - 1
  for (let at = (first * 2) & last; ; at = (at + 2) & last) {
    const beside = slots[at + 1]
    if (beside === 0) {
      slots[at] = first
      slots[at + 1] = second
      return true
    }
    if (beside === second && slots[at] === first) return false
  }
}
