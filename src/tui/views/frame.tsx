import { Box } from 'ink'
import { hasFrame } from '../state/layout.ts'
import { fitLine, type Piece, type Tone, widthOfLine } from '../state/pieces.ts'
import { Line, type ShownPiece } from './line.tsx'

export interface FrameProps {
  /** Stands in the upper edge. */
  readonly title: readonly Piece[]
  /** At the right of the upper edge, if there is room. */
  readonly end?: string
  readonly width: number
  readonly height: number
  readonly focused: boolean
  /** At most as many as fit; each as wide as `insideOf(width, height)`. */
  readonly rows: readonly (readonly ShownPiece[])[]
}

/** Columns between the edges. */
export function insideOf(width: number, height: number): number {
  return hasFrame(height) ? Math.max(1, width - 2) : width
}

const blank: readonly ShownPiece[] = [{ text: ' ' }]

function fitted(row: readonly ShownPiece[], inside: number): readonly ShownPiece[] {
  return widthOfLine(row) <= inside ? row : fitLine(row, inside)
}

/** A side of the frame: a text of its own, because Ink measures every text, and lines of plain ASCII much faster. */
function Edge({ lines, tone }: { lines: number; tone: Tone }) {
  const text = Array.from({ length: lines }, () => '│').join('\n')
  return (
    <Box width={1}>
      <Line pieces={[{ text, tone }]} />
    </Box>
  )
}

/** A frame with rounded corners, in the accent while it has the focus; of a low one only the title. */
export function Frame({ title, end = '', width, height, focused, rows }: FrameProps) {
  const framed = hasFrame(height)
  const edge = { tone: focused ? 'accent' : 'dim' } as const
  const inside = insideOf(width, height)
  const lines = height - (framed ? 2 : 1)
  const start: Piece[] = [{ text: framed ? '╭─' : focused ? '▶' : ' ', ...edge }, { text: ' ' }]
  const room = width - widthOfLine(start) - (framed ? 2 : 0)
  const name = fitLine(title, Math.min(room, widthOfLine(title)))
  const left = width - widthOfLine(start) - widthOfLine(name) - (framed ? 1 : 0)
  const tail = end !== '' && left >= end.length + 5 ? ` ${end} ─` : ''
  const rule = left > 1 ? ` ${'─'.repeat(left - 1 - tail.length)}${tail}` : ' '.repeat(Math.max(0, left))
  return (
    <Box flexDirection='column' width={width}>
      <Line
        pieces={[...start, ...name, { text: rule, ...edge }, ...(framed ? [{ text: '╮', ...edge }] : [])]}
      />
      <Box height={lines}>
        {framed && <Edge lines={lines} tone={edge.tone} />}
        <Box flexDirection='column' width={inside}>
          {rows.slice(0, lines).map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines of a frame never move
            <Line key={index} pieces={row.length === 0 ? blank : fitted(row, inside)} />
          ))}
        </Box>
        {framed && <Edge lines={lines} tone={edge.tone} />}
      </Box>
      {framed && <Line pieces={[{ text: `╰${'─'.repeat(inside)}╯`, ...edge }]} />}
    </Box>
  )
}
