/** Measures text by the columns it takes on a terminal, and cuts or pads it to a width. */
import stringWidth from 'string-width'

/** Characters of one column each, which most text consists of. */
const narrow = /^[ -~\u00a0-\u00ac\u00ae-\u02ff…⏎⇥→←↻✓✗‖•─━│╭╮╰╯▁-█·\u2800-\u28ff]*$/
let graphemes: Intl.Segmenter | undefined

export function widthOf(text: string): number {
  return narrow.test(text) ? text.length : stringWidth(text)
}

/** At most `width` columns. */
export function cutEnd(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  return width < 1 ? '' : `${beginning(text, width - 1)}…`
}

/** At most `width` columns, cut in the middle: ids differ at both ends. */
export function cutMiddle(text: string, width: number): string {
  if (!narrow.test(text) || width < 6) return cutEnd(text, width)
  if (text.length <= width) return text
  const tail = Math.floor((width - 1) / 2)
  return `${text.slice(0, width - 1 - tail)}…${text.slice(text.length - tail)}`
}

/** The first columns of a text, without a mark that it is cut; a character two columns wide is never cut in half. */
export function beginning(text: string, width: number): string {
  if (narrow.test(text)) return text.slice(0, width)
  graphemes ??= new Intl.Segmenter()
  let taken = ''
  let used = 0
  for (const { segment } of graphemes.segment(text)) {
    used += stringWidth(segment)
    if (used > width) break
    taken += segment
  }
  return taken
}
