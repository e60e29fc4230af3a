/**
 * Draws a terminal as an SVG without scripts and fonts of its own. Several frames make a moving picture: each row is a strip of its
 * contents, which CSS steps through, so the file holds each content once. Who prefers no motion sees the last frame.
 */
import stringWidth from 'string-width'
import type { Line, Look, Run } from './cells.ts'
import { glyph, n } from './glyphs.ts'
import { paletteColour, paper } from './palette.ts'

export interface Frame {
  /** Milliseconds that it is shown. */
  readonly ms: number
  readonly lines: readonly Line[]
}

export interface Drawing {
  readonly title: string
  readonly columns: number
  readonly frames: readonly Frame[]
  /** Rows above which a line separates two terminals. */
  readonly dividers?: readonly number[]
  /** Goes into the file, so that it can be told which text it shows. */
  readonly digest: string
}

const cell = { width: 8.4, height: 18 }
const margin = 18
const bar = 34

/** Room between the rows of two terminals. */
const gap = 17

const style = `text{font:14px ui-monospace,SFMono-Regular,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre;fill:${paper.ink}}.b{font-weight:700}.i{font-style:italic}.d{opacity:.6}.u{text-decoration:underline}`

export function drawTerminal({ title, columns, frames, dividers = [], digest }: Drawing): string {
  const rows = frames[0]?.lines.length ?? 0
  const width = n(columns * cell.width + 2 * margin)
  const height = n(bar + rows * cell.height + dividers.length * gap + margin + 10)
  const top = (row: number) =>
    bar + 10 + row * cell.height + gap * dividers.filter((divider) => divider <= row).length
  const total = frames.reduce((sum, { ms }) => sum + ms, 0)
  const css: string[] = [style]
  const strips = Array.from({ length: rows }, (_, row) => {
    const strip = stripOf(frames, row)
    if (strip.contents.every((content) => content === '')) return ''
    const content = strip.contents
      .map((text, at) => (at === 0 ? text : `<g transform="translate(0 ${n(at * cell.height)})">${text}</g>`))
      .join('')
    const inner = strip.contents.length === 1 ? content : `<g class="r${row}">${content}</g>`
    if (strip.contents.length > 1) css.push(motion(row, strip.shown, total))
    return `<svg x="${margin}" y="${n(top(row))}" width="${n(columns * cell.width)}" height="${cell.height}">${inner}</svg>`
  })
  if (css.length > 1) css.push('@media(prefers-reduced-motion:reduce){g{animation:none!important}}')
  const lines = dividers.map((row) => {
    const y = n(top(row) - gap / 2)
    return `<path d="M1 ${y}H${n(Number(width) - 1)}" stroke="${paper.border}"/>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}" data-shows="${digest}">
<style>${css.join('')}</style>
<rect x=".5" y=".5" width="${n(Number(width) - 1)}" height="${n(Number(height) - 1)}" rx="10" fill="${paper.ground}" stroke="${paper.border}"/>
<path d="M1 ${bar}V11A10 10 0 0 1 11 1H${n(Number(width) - 11)}A10 10 0 0 1 ${n(Number(width) - 1)} 11V${bar}Z" fill="${paper.bar}"/>
${[18, 36, 54].map((x) => `<circle cx="${x}" cy="17.5" r="5.5" fill="${paper.border}"/>`).join('')}
<text x="${n(Number(width) / 2)}" y="22" text-anchor="middle" style="fill:${paper.title};font-size:12.5px">${escaped(title)}</text>
${[...lines, ...strips.filter((strip) => strip !== '')].join('\n')}
</svg>
`
}

interface Strip {
  /** The different contents of a row, in the order in which they first appear. */
  readonly contents: readonly string[]
  /** When which content begins to be shown, in ms. */
  readonly shown: readonly { readonly from: number; readonly content: number }[]
}

function stripOf(frames: readonly Frame[], row: number): Strip {
  const contents: string[] = []
  const shown: { from: number; content: number }[] = []
  let from = 0
  for (const { ms, lines } of frames) {
    const text = drawLine(lines[row] ?? [])
    let content = contents.indexOf(text)
    if (content === -1) content = contents.push(text) - 1
    if (shown.at(-1)?.content !== content) shown.push({ from, content })
    from += ms
  }
  return { contents, shown }
}

/** The rule that moves a row to what it shows at each time. At rest it shows the last. */
function motion(row: number, shown: Strip['shown'], total: number): string {
  const at = (content: number) => (content === 0 ? 'none' : `translateY(-${n(content * cell.height)}px)`)
  const steps = shown.map(({ from, content }) => `${n((from / total) * 100)}%{transform:${at(content)}}`)
  const last = at(shown.at(-1)?.content ?? 0)
  return `.r${row}{transform:${last};animation:k${row} ${n(total / 1000)}s step-end infinite}@keyframes k${row}{${steps.join('')}100%{transform:${last}}}`
}

function drawLine(line: Line): string {
  return line.map(drawRun).join('')
}

function drawRun({ column, width, text, look }: Run): string {
  const { ink, ground } = coloursOf(look)
  const x = column * cell.width
  const fill = ink ?? paper.ink
  const parts: string[] = []
  if (ground !== undefined) {
    parts.push(
      `<rect x="${n(x)}" width="${n(width * cell.width)}" height="${cell.height}" fill="${ground}"/>`,
    )
  }
  const shapes: string[] = []
  let at = column
  // Text between shapes is placed by its column, and stretched to its width: fonts differ.
  for (const piece of pieces(text)) {
    const left = at * cell.width
    at += piece.width
    if (piece.text.trim() === '') continue
    shapes.push(glyph(piece.text, left, cell, fill) ?? drawText(piece, left, look, fill))
  }
  const drawn = shapes.join('')
  return parts.join('') + (look.dim && drawn !== '' ? `<g class="d">${drawn}</g>` : drawn)
}

function drawText(piece: Piece, left: number, look: Look, fill: string): string {
  const classes = [look.bold && 'b', look.italic && 'i', look.underline && 'u'].filter(Boolean).join(' ')
  const attributes = [
    `x="${n(left)}" y="13.5" textLength="${n(piece.width * cell.width)}"`,
    ...(classes === '' ? [] : [`class="${classes}"`]),
    ...(fill === paper.ink ? [] : [`style="fill:${fill}"`]),
  ]
  return `<text ${attributes.join(' ')}>${escaped(piece.text)}</text>`
}

interface Piece {
  readonly text: string
  readonly width: number
}

/** The words with single spaces between them, each shape alone, and the spaces. */
function pieces(text: string): Piece[] {
  return [
    ...text.matchAll(
      / +|[\u2500-\u259f\u2800-\u28ff]|[^ \u2500-\u259f\u2800-\u28ff]+(?: [^ \u2500-\u259f\u2800-\u28ff]+)*/gu,
    ),
  ].map(([piece]) => ({ text: piece, width: stringWidth(piece) }))
}

function coloursOf({ ink, ground, inverse }: Look): {
  ink?: string | undefined
  ground?: string | undefined
} {
  const first = ink === undefined ? undefined : css(ink)
  const second = ground === undefined ? undefined : css(ground)
  return inverse
    ? { ink: second ?? paper.ground, ground: first ?? paper.ink }
    : { ink: first, ground: second }
}

function css(colour: number | string): string {
  return typeof colour === 'number' ? paletteColour(colour) : colour
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
