/** Measures, cuts, pads and wraps text by the columns it takes on a terminal. */
import { createRequire } from 'node:module'
import type stringWidth from 'string-width'

/** One column each: Latin letters with their accents, and the punctuation and blocks used in output. */
const narrow = /^[ -~\u00a0-\u00ac\u00ae-\u02ff\u2010-\u2027\u2030-\u205e⏎⇥→✓✗↻│─█▏▎▍▌▋▊▉░]*$/

let measure: typeof stringWidth | undefined
let graphemes: Intl.Segmenter | undefined

/**
 * Columns that `text` takes on a terminal: 2 for a CJK character or an emoji, 0 for a combining mark.
 * Colour codes take none.
 */
export function displayWidth(text: string): number {
  if (narrow.test(text)) return text.length
  // Loaded at the first wide character, and synchronously: importing it costs 20 ms (Intl.Segmenter and its
  // emoji tables), which a command that prints plain names should not pay.
  measure ??= (createRequire(import.meta.url)('string-width') as { default: typeof stringWidth }).default
  return measure(text)
}

/**
 * Cuts plain text (no colour codes) to at most `width` columns, ending in `…` where something was left out.
 * A character two columns wide is never cut in half, so the result can be one column shorter.
 */
export function truncate(text: string, width: number): string {
  if (displayWidth(text) <= width) return text
  return width < 1 ? '' : `${head(text, width - 1)}…`
}

/** Like `truncate`, but leaves out the middle: ids share their beginning and differ at their end. */
export function truncateMiddle(text: string, width: number): string {
  // An id is ASCII; anything else in its place is cut like any text.
  if (!narrow.test(text)) return truncate(text, width)
  if (text.length <= width) return text
  if (width < 1) return ''
  const tail = Math.floor((width - 1) / 3)
  return `${head(text, width - 1 - tail)}…${text.slice(text.length - tail)}`
}

/** Pads to `width` columns with spaces, on the right or (for `align: 'right'`) on the left. */
export function pad(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const space = ' '.repeat(Math.max(0, width - displayWidth(text)))
  return align === 'right' ? space + text : text + space
}

/** The longest beginning of `text` that takes at most `width` columns. */
function head(text: string, width: number): string {
  if (width <= 0) return ''
  if (narrow.test(text)) return text.slice(0, width)
  graphemes ??= new Intl.Segmenter()
  let kept = ''
  let used = 0
  for (const { segment } of graphemes.segment(text)) {
    used += displayWidth(segment)
    if (used > width) break
    kept += segment
  }
  return kept
}

/**
 * Wraps plain text to `width` columns at spaces; later lines start with `indent`. Newlines in the text stay.
 * A word longer than a line gets a line of its own, uncut: it is an id, a URL or a command, and people copy it.
 */
export function wrap(text: string, width: number, indent = ''): string {
  return text
    .split('\n')
    .flatMap((line, at) => wrapLine(line, width, at === 0 ? 0 : indent.length, indent.length))
    .join(`\n${indent}`)
}

function wrapLine(line: string, width: number, firstIndent: number, indent: number): string[] {
  if (displayWidth(line) + firstIndent <= width) return [line]
  const lines: string[] = []
  let current = line.slice(0, line.search(/[^ ]|$/))
  let empty = true
  for (const word of line.slice(current.length).split(' ')) {
    const longer = empty ? current + word : `${current} ${word}`
    const room = width - (lines.length === 0 ? firstIndent : indent)
    if (empty || displayWidth(longer) <= room) {
      current = longer
    } else {
      lines.push(current)
      current = word
    }
    empty = false
  }
  return [...lines, current]
}
