/** Matches text against a pattern without backtracking: time follows the text's length, whatever the pattern is. */

/** `*` stands for any characters but `/`, `**` for any at all. The pattern has to match the whole text. */
export function wildcards(pattern: string): (text: string) => boolean {
  const parts = pattern.match(/\*\*|./gsu) ?? []
  const { length } = parts

  return (text) => {
    // at[n]: the first n parts match what has been read of the text. Bytes and indices: a path may have 16,000 characters.
    let at = new Uint8Array(length + 1)
    let next = new Uint8Array(length + 1)
    at[0] = 1
    skipEmpty(at)
    for (const character of text) {
      next.fill(0)
      for (let index = 0; index < length; index++) {
        if (at[index] === 0) continue
        const part = parts[index]
        if (part === '**' || (part === '*' && character !== '/')) next[index] = 1
        else if (part === character && part !== '*') next[index + 1] = 1
      }
      skipEmpty(next)
      ;[at, next] = [next, at]
    }
    return at[length] === 1
  }

  /** A wildcard matches nothing, too. */
  function skipEmpty(at: Uint8Array): void {
    for (let index = 0; index < length; index++) {
      if (at[index] === 1 && (parts[index] === '*' || parts[index] === '**')) at[index + 1] = 1
    }
  }
}
