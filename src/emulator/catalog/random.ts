/** Random sequences that can be repeated: the same seed gives the same one (Mulberry32). Not for secrets. */

export interface Random {
  /** In [0, 1). */
  next(): number
  /** An integer, both ends included. Throws RangeError when `min > max` or either is no safe integer. */
  int(min: number, max: number): number
  /** One of `items`. Throws RangeError when there are none. */
  pick<T>(items: readonly T[]): T
  /** True with probability `p`. */
  chance(p: number): boolean
  /** `length` lower-case hexadecimal digits. */
  hex(length: number): string
  /** In the form of a UUID v4. */
  uuid(): string
}

/** Starts the sequence of a seed. */
export function createRandom(seed: number): Random {
  let word = seed >>> 0

  function draw(): number {
    word = (word + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(word ^ (word >>> 15), word | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }

  const random: Random = {
    next: () => draw() / 2 ** 32,
    int(min, max) {
      if (!Number.isSafeInteger(min) || !Number.isSafeInteger(max) || min > max) {
        throw new RangeError(`no integer between ${min} and ${max}`)
      }
      return min + Math.floor(random.next() * (max - min + 1))
    },
    pick<T>(items: readonly T[]): T {
      if (items.length === 0) throw new RangeError('nothing to pick from')
      return items[random.int(0, items.length - 1)] as T
    },
    chance: (p) => random.next() < p,
    hex(length) {
      let digits = ''
      while (digits.length < length) digits += draw().toString(16).padStart(8, '0')
      return digits.slice(0, length)
    },
    uuid() {
      const digits = random.hex(32)
      const variant = '89ab'[Number.parseInt(digits.charAt(16), 16) % 4]
      return [
        digits.slice(0, 8),
        digits.slice(8, 12),
        `4${digits.slice(13, 16)}`,
        `${variant}${digits.slice(17, 20)}`,
        digits.slice(20),
      ].join('-')
    },
  }
  return random
}

/** A seed out of a name: the same text gives the same seed. FNV-1a over UTF-16 code units. */
export function seedFrom(...parts: readonly (string | number)[]): number {
  let hash = 0x811c9dc5
  for (const character of parts.join('\u0000')) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193)
  }
  return hash >>> 0
}
