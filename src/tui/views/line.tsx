import { Text } from 'ink'
import { createContext, useContext } from 'react'

/** The meaning of a text, shown in colour if there is any; a word or mark always says the same. */
export type Tone = 'plain' | 'dim' | 'good' | 'warn' | 'bad' | 'strong'

export interface Piece {
  readonly text: string
  readonly tone?: Tone
}

/** Whether colours are used; bold and inverse always are. */
export const Colors = createContext(true)

const colored = {
  plain: {},
  dim: { dimColor: true },
  good: { color: 'green' },
  warn: { color: 'yellow' },
  bad: { color: 'red' },
  strong: { bold: true },
} as const
const uncolored = { ...colored, good: {}, warn: {}, bad: { bold: true } } as const

/** One line of the screen, made of pieces that are safe to show and fit its width together. */
export function Line({ pieces, marked = false }: { pieces: readonly Piece[]; marked?: boolean }) {
  const looks = useContext(Colors) ? colored : uncolored
  return (
    <Text wrap='truncate-end' inverse={marked}>
      {merged(pieces).map(({ text, tone = 'plain' }, index) =>
        tone === 'plain' ? (
          text
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no identity, and never move
          <Text key={index} {...looks[tone]}>
            {text}
          </Text>
        ),
      )}
    </Text>
  )
}

/** Joins neighbours of the same tone, because a line is drawn up to thirty times a second. */
function merged(pieces: readonly Piece[]): readonly Piece[] {
  const result: Piece[] = []
  for (const piece of pieces) {
    const last = result.at(-1)
    if (last !== undefined && (last.tone ?? 'plain') === (piece.tone ?? 'plain')) {
      result[result.length - 1] = { ...last, text: last.text + piece.text }
    } else result.push(piece)
  }
  return result
}
