/** Longest text of a cell, in characters: a row must not hold what a hostile sender made long. */
const LONGEST = 300

/** Cuts, then makes safe. */
export function clipped(safe: (text: string) => string): (text: string) => string {
  return (text) => safe(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text)
}
