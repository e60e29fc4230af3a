/**
 * Which ids a walk through a list has shown, in 16 to 32 bytes each: a Set of the ids themselves would make the
 * memory of a long walk grow with what it reads.
 */
export class SeenIds {
  /** Fingerprints, two numbers each; two zeros are a free place. Never more than half full. */
  #places = new Uint32Array(2 * 8192)
  #count = 0
  // Different in every walk, so that nobody can make up ids that look alike.
  readonly #seed = Math.floor(Math.random() * 2 ** 32)

  /**
   * Returns whether the id is new, and remembers it. Two ids are taken for one with a chance of 1 in 2^64 for each
   * pair: among a million ids, 1 in 30 million.
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
    if (!place(this.#places, a >>> 0, b >>> 0 || 1)) return false
    this.#count += 1
    if (this.#count * 4 > this.#places.length) this.#grow()
    return true
  }

  #grow(): void {
    const larger = new Uint32Array(this.#places.length * 2)
    for (let at = 0; at < this.#places.length; at += 2) {
      const second = this.#places[at + 1] ?? 0
      if (second !== 0) place(larger, this.#places[at] ?? 0, second)
    }
    this.#places = larger
  }
}

/** Puts a fingerprint, whose second number is not 0, into the next free place; false when it is there already. */
function place(places: Uint32Array, first: number, second: number): boolean {
  const last = places.length - 1
  for (let at = (first * 2) & last; ; at = (at + 2) & last) {
    const beside = places[at + 1]
    if (beside === 0) {
      places[at] = first
      places[at + 1] = second
      return true
    }
    if (beside === second && places[at] === first) return false
  }
}
