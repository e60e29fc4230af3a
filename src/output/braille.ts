/** Draws a line with braille dots, two by four of them in each character. */

/** The bits of the dots of a character: its left and its right column, each from the top. */
const dots = [
  [0x01, 0x02, 0x04, 0x40],
  [0x08, 0x10, 0x20, 0x80],
] as const

export interface BrailleScale {
  /** The values of the lowest and the highest row of dots. */
  readonly low: number
  readonly high: number
  /** Lines of characters. */
  readonly height: number
}

/** The row of dots of a value, from the top; one of a level line is in the middle. */
export function dotRow(value: number, { low, high, height }: BrailleScale): number {
  return high === low ? height * 2 : Math.round(((high - value) / (high - low)) * (height * 4 - 1))
}

/**
 * The dots of each character, from the top, for the values of each column of dots. A value holds until the next, and a step is
 * drawn whole, so that the line has no gaps.
 */
export function brailleSteps(columns: readonly (readonly number[])[], scale: BrailleScale): Uint8Array[] {
  const cells = Array.from({ length: scale.height }, () => new Uint8Array(Math.ceil(columns.length / 2)))
  let before: number | undefined
  for (const [x, here] of columns.entries()) {
    const reached = before === undefined ? here : [before, ...here]
    for (let y = dotRow(Math.max(...reached), scale); y <= dotRow(Math.min(...reached), scale); y += 1) {
      const row = cells[y >> 2]
      if (row !== undefined) row[x >> 1] = (row[x >> 1] ?? 0) | (dots[x % 2 === 0 ? 0 : 1][y & 3] ?? 0)
    }
    before = here.at(-1)
  }
  return cells
}

/** Blank for no dots. */
export function brailleCharacter(bits: number): string {
  return String.fromCharCode(0x2800 + bits)
}
