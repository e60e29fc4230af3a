/** How many columns text takes on a terminal, and cutting and padding by that measure. */
import { createRequire } from 'node:module'
import type stringWidth from 'string-width'

/** One column each: Latin letters with their accents, and the punctuation and blocks this room draws with. */
const narrow = /^[ -~\u00a0-\u00ac\u00ae-\u02ff\u2010-\u2027\u2030-\u205e⏎⇥─█▏▎▍▌▋▊▉░]*$/

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
  // An id is ASCII; something that only poses as one is cut like any text.
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
