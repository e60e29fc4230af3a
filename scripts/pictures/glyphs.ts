/**
 * Draws the characters that have to meet their neighbours (boxes, blocks, braille) as shapes: no font of the reader's leaves gaps
 * between them then.
 */

export interface Cell {
  readonly width: number
  readonly height: number
}

/** The arms of a box character, in the order left, up, right, down: 1 light, 2 heavy. */
const arms: Readonly<Record<string, string>> = {
  '─': '1010',
  '━': '2020',
  '│': '0101',
  '┃': '0202',
  '╌': '1010',
  '╴': '1000',
  '╵': '0100',
  '╶': '0010',
  '╷': '0001',
  '┌': '0011',
  '┐': '1001',
  '└': '0110',
  '┘': '1100',
  '├': '0111',
  '┤': '1101',
  '┬': '1011',
  '┴': '1110',
  '┼': '1111',
  '┏': '0022',
  '┓': '2002',
  '┗': '0220',
  '┛': '2200',
  '┝': '0121',
  '┠': '0212',
  '┥': '2101',
  '┨': '1202',
}

/** For a rounded corner, where its curve leaves the cell. */
const rounded: Readonly<Record<string, readonly [dx: 1 | -1, dy: 1 | -1]>> = {
  '╭': [1, 1],
  '╮': [-1, 1],
  '╰': [1, -1],
  '╯': [-1, -1],
}

/** Elements for a character at `x`, in a line that begins at y 0; undefined for one that is text. */
export function glyph(char: string, x: number, cell: Cell, fill: string): string | undefined {
  const { width, height } = cell
  const middle = { x: x + width / 2, y: height / 2 }
  const stroke = (path: string, thickness: number) =>
    `<path d="${path}" fill="none" stroke="${fill}" stroke-width="${thickness}"/>`
  const corner = rounded[char]
  if (corner !== undefined) {
    const [dx, dy] = corner
    const radius = width / 2
    const path = `M${n(middle.x)} ${dy > 0 ? height : 0}V${n(middle.y + dy * radius)}Q${n(middle.x)} ${n(middle.y)} ${n(middle.x + dx * radius)} ${n(middle.y)}`
    return stroke(path, 1.2)
  }
  const box = arms[char]
  if (box !== undefined) {
    const ends = [
      `${n(x)} ${n(middle.y)}`,
      `${n(middle.x)} 0`,
      `${n(x + width)} ${n(middle.y)}`,
      `${n(middle.x)} ${height}`,
    ]
    const path = [...box]
      .map((arm, at) => (arm === '0' ? '' : `M${n(middle.x)} ${n(middle.y)}L${ends[at]}`))
      .join('')
    return stroke(path, box.includes('2') ? 2.4 : 1.2)
  }
  const code = char.codePointAt(0) ?? 0
  const rect = (left: number, top: number, right: number, bottom: number, opacity = 1) =>
    `<rect x="${n(x + left * width)}" y="${n(top * height)}" width="${n((right - left) * width)}" height="${n((bottom - top) * height)}" fill="${fill}"${opacity < 1 ? ` fill-opacity="${opacity}"` : ''}/>`
  if (char === '▀') return rect(0, 0, 1, 0.5)
  if (char === '▐') return rect(0.5, 0, 1, 1)
  if (code >= 0x2581 && code <= 0x2588) return rect(0, 1 - (code - 0x2580) / 8, 1, 1)
  if (code > 0x2588 && code <= 0x258f) return rect(0, 0, (0x2590 - code) / 8, 1)
  if (code >= 0x2591 && code <= 0x2593) return rect(0, 0, 1, 1, (code - 0x2590) / 4)
  if (code >= 0x2800 && code <= 0x28ff) return braille(code - 0x2800, x, cell, fill)
  return undefined
}

/** The dots of a braille pattern, from its lowest bit on: column and row. */
const dots = [
  [0, 0],
  [0, 1],
  [0, 2],
  [1, 0],
  [1, 1],
  [1, 2],
  [0, 3],
  [1, 3],
] as const

function braille(bits: number, x: number, { width, height }: Cell, fill: string): string {
  const circles = dots.flatMap(([column, row], bit) =>
    (bits >> bit) & 1
      ? [
          `<circle cx="${n(x + (0.25 + column / 2) * width)}" cy="${n(((row + 0.5) / 4) * height)}" r="1.25"/>`,
        ]
      : [],
  )
  return `<g fill="${fill}">${circles.join('')}</g>`
}

/** A number with at most two decimals. */
export function n(value: number): string {
  return String(Math.round(value * 100) / 100)
}
