/** The candidate a misspelt word was probably meant to be; undefined when none is near (a third of its letters). */
export function closest(word: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined
  let fewest = Math.floor(word.length / 3) + 1
  for (const candidate of candidates) {
    const edits = distance(word.toLowerCase(), candidate.toLowerCase())
    if (edits < fewest) {
      fewest = edits
      best = candidate
    }
  }
  return best
}

/** Levenshtein's distance: letters to insert, remove or replace. */
function distance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [row, letter] of [...from].entries()) {
    const current = [row + 1]
    for (const [column, other] of [...to].entries()) {
      const replaced = (previous[column] ?? 0) + (letter === other ? 0 : 1)
      current.push(Math.min(replaced, (previous[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1))
    }
    previous = current
  }
  return previous.at(-1) ?? 0
}
