/** Matches text against a pattern without backtracking: time follows the text's length, whatever the pattern is. */

/** `*` stands for any characters but `/`, `**` for any at all. The pattern has to match the whole text. */
export function wildcards(pattern: string): (text: string) => boolean {
  const parts = pattern.match(/\*\*|./gsu) ?? []
  const { length } = parts

  return (text) => {
    // at[n]: the first n parts match what has been read of the text.
    let at = new Array<boolean>(length + 1).fill(false)
    at[0] = true
    skipEmpty(at)
    for (const character of text) {
      const next = new Array<boolean>(length + 1).fill(false)
      for (const [index, part] of parts.entries()) {
        if (!at[index]) continue
        if (part === '**' || (part === '*' && character !== '/')) next[index] = true
        else if (part === character && part !== '*') next[index + 1] = true
      }
      skipEmpty(next)
      at = next
    }
    return at[length] === true
  }

  /** A wildcard matches nothing, too. */
  function skipEmpty(at: boolean[]): void {
    for (const [index, part] of parts.entries()) {
      if (at[index] && (part === '*' || part === '**')) at[index + 1] = true
    }
  }
}
