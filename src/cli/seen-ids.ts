/**
 * Which ids a walk through a list has shown, in eight bytes or so each: a Set of the ids themselves would make the
 * memory of a long walk grow with what it reads.
 */
export class SeenIds {
  /** Fingerprints, two numbers each; two zeros are a free place. Never more than half full. */
  #places = new Uint32Array(2 * 4096)
  #count = 0
  // Different in every walk, so that nobody can make up ids that look alike.
  readonly #seed = Math.floor(Math.random() * 2 ** 32)

  /**
   * Returns whether the id is new, and remembers it. Two ids are taken for one with a chance of 1 in 2^64 for each
   * pair: among a million ids, 1 in 30 million.
   */
  add(id: string): boolean {
    const [first, second] = fingerprint(id, this.#seed)
    if (!place(this.#places, first, second)) return false
    this.#count += 1
    if (this.#count * 4 > this.#places.length) this.#grow()
    return true
  }

  #grow(): void {
    const larger = new Uint32Array(this.#places.length * 2)
    for (let at = 0; at < this.#places.length; at += 2) {
      const first = this.#places[at] ?? 0
      const second = this.#places[at + 1] ?? 0
      if (first !== 0 || second !== 0) place(larger, first, second)
    }
    this.#places = larger
  }
}

/** Puts a fingerprint into the next free place from its own on; false when it is there already. */
function place(places: Uint32Array, first: number, second: number): boolean {
  const last = places.length - 1
  for (let at = (first * 2) & last; ; at = (at + 2) & last) {
    const here = places[at]
    const beside = places[at + 1]
    if (here === first && beside === second) return false
    if (here === 0 && beside === 0) {
      places[at] = first
      places[at + 1] = second
      return true
    }
  }
}

/** 64 bits of an id, as two numbers that are never both zero: two multiplicative hashes, mixed into each other. */
function fingerprint(id: string, seed: number): [first: number, second: number] {
  let a = 0xdeadbeef ^ seed
  let b = 0x41c6ce57 ^ seed
  for (let at = 0; at < id.length; at++) {
    const unit = id.charCodeAt(at)
    a = Math.imul(a ^ unit, 0x9e3779b1)
    b = Math.imul(b ^ unit, 0x5f356495)
  }
  a = Math.imul(a ^ (a >>> 16), 0x85ebca6b) ^ Math.imul(b ^ (b >>> 13), 0xc2b2ae35)
  b = Math.imul(b ^ (b >>> 16), 0x85ebca6b) ^ Math.imul(a ^ (a >>> 13), 0xc2b2ae35)
  return [a >>> 0, b === 0 ? 1 : b >>> 0]
}
