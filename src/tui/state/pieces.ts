/** Pieces of text with a meaning, which the views colour; cut and wrapped to a width. */
import { beginning, cutEnd, cutMiddle, widthOf } from './text-width.ts'

/** The meaning of a text, shown in colour if there is any; a word or mark always says the same. */
export type Tone =
  | 'plain'
  | 'dim'
  | 'good'
  | 'warn'
  | 'bad'
  | 'strong'
  | 'accent'
  /** A name, a text and any other value of JSON. */
  | 'key'
  | 'string'
  | 'value'
  /** What a search matches. */
  | 'hit'

export interface Piece {
  readonly text: string
  readonly tone?: Tone
}

export type Line = readonly Piece[]

export function widthOfLine(line: Line): number {
  return line.reduce((sum, { text }) => sum + widthOf(text), 0)
}

/** Exactly `width` columns: padded, or cut with `…` where it ends or, for ids, in the middle of its last piece. */
export function fitLine(line: Line, width: number, cut: 'end' | 'middle' = 'end'): Line {
  const fitted: Piece[] = []
  let left = width
  for (const [index, piece] of line.entries()) {
    const room =
      index === line.length - 1 && cut === 'middle' ? cutMiddle(piece.text, left) : cutEnd(piece.text, left)
    if (room !== '') fitted.push({ ...piece, text: room })
    left -= widthOf(room)
    if (room !== piece.text) break
  }
  return left > 0 ? [...fitted, { text: ' '.repeat(left) }] : fitted
}

const breakable = /[\s,;/&?=]/

/** The line in rows of at most `width` columns, broken after a space or a separator if there is one; later rows are indented. */
export function wrapLine(line: Line, width: number, indent = 0): Line[] {
  if (widthOfLine(line) <= width) return [line]
  const rows: Piece[][] = [[]]
  let left = width
  let isEmpty = true
  const breakRow = () => {
    rows.push(indent === 0 ? [] : [{ text: ' '.repeat(indent) }])
    left = width - indent
    isEmpty = true
  }
  for (const { text, ...look } of line) {
    let rest = text
    while (widthOf(rest) > left) {
      const fits = beginning(rest, left)
      // A word that fits a row of its own goes there whole.
      const end = lastBreak(fits) || (isEmpty ? fits.length : 0)
      if (end > 0) rows.at(-1)?.push({ ...look, text: rest.slice(0, end) })
      // Not even one character fits.
      else if (isEmpty) return rows.slice(0, -1)
      rest = rest.slice(end).replace(/^ /, '')
      breakRow()
    }
    if (rest === '') continue
    rows.at(-1)?.push({ ...look, text: rest })
    left -= widthOf(rest)
    isEmpty = false
  }
  return rows
}

function lastBreak(text: string): number {
  for (let at = text.length; at > text.length / 2; at--) {
    if (breakable.test(text[at - 1] as string)) return at
  }
  return 0
}

const token = /("(?:[^"\\]|\\.)*"?)(\s*:)?|-?\d[\d.eE+-]*|\b(?:true|false|null)\b/g

/** A line of indented JSON, coloured. */
export function jsonLine(text: string): Line {
  const line: Piece[] = []
  let end = 0
  for (const match of text.matchAll(token)) {
    if (match.index > end) line.push({ text: text.slice(end, match.index), tone: 'dim' })
    const [whole, quoted, colon] = match
    if (quoted === undefined) line.push({ text: whole, tone: 'value' })
    else {
      line.push({ text: quoted, tone: colon === undefined ? 'string' : 'key' })
      if (colon !== undefined) line.push({ text: colon, tone: 'dim' })
    }
    end = match.index + whole.length
  }
  const rest = text.slice(end)
  const last = line.at(-1)
  // A comma stays with its value where the line is wrapped.
  if (rest === ',' && last !== undefined) line[line.length - 1] = { ...last, text: `${last.text},` }
  else if (rest !== '') line.push({ text: rest, tone: 'dim' })
  return line
}

/** The line with what a search matches marked, ignoring case. */
export function withHits(line: Line, search: string): Line {
  if (search === '') return line
  const wanted = search.toLowerCase()
  return line.flatMap((piece) => {
    const lower = piece.text.toLowerCase()
    // Some characters change their length in lower case, and then nothing is marked.
    if (lower.length !== piece.text.length || !lower.includes(wanted)) return [piece]
    const parts: Piece[] = []
    let end = 0
    for (let at = lower.indexOf(wanted); at !== -1; at = lower.indexOf(wanted, end)) {
      if (at > end) parts.push({ ...piece, text: piece.text.slice(end, at) })
      parts.push({ text: piece.text.slice(at, at + wanted.length), tone: 'hit' })
      end = at + wanted.length
    }
    if (end < piece.text.length) parts.push({ ...piece, text: piece.text.slice(end) })
    return parts
  })
}
