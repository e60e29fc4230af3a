/** Colours of the terminal in the pictures. */

export const paper = {
  ground: '#12161e',
  ink: '#d5dbe6',
  bar: '#1b212c',
  border: '#2f3847',
  title: '#8590a5',
}

const named = [
  ...['#2b3240', '#f2777a', '#7fd18b', '#f0c674', '#6cb0f5', '#c79bf2', '#5fcbd8', '#d5dbe6'],
  ...['#6b778d', '#ff9a9c', '#a3e5ac', '#ffdf9a', '#94c8ff', '#dcbdff', '#8be3ee', '#ffffff'],
]

const steps = [0, 95, 135, 175, 215, 255]
const hex = (...parts: readonly number[]) =>
  `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`

/** The colour of an entry of xterm's palette of 256: 16 named ones, a cube of 6 x 6 x 6, and 24 greys. */
export function paletteColour(entry: number): string {
  if (entry < 16) return named[entry] ?? paper.ink
  if (entry >= 232) {
    const grey = 8 + 10 * (entry - 232)
    return hex(grey, grey, grey)
  }
  const at = entry - 16
  return hex(...[Math.floor(at / 36), Math.floor(at / 6) % 6, at % 6].map((step) => steps[step] ?? 0))
}
