import { Text } from 'ink'
import { createContext, useContext } from 'react'
import type { Piece, Tone } from '../state/pieces.ts'

/** A piece, and whether it is on the selected row: of the list that has the focus, or of another. */
export interface ShownPiece extends Piece {
  readonly on?: 'focus' | 'blur'
}

/** Whether colours are used; bold and inverse always are. */
export const Colors = createContext(true)

type Look = Partial<Record<'dimColor' | 'bold' | 'inverse' | 'underline', boolean>> & {
  readonly color?: string
  readonly backgroundColor?: string
}

const colored: Readonly<Record<Tone, Look>> = {
  plain: {},
  dim: { dimColor: true },
  good: { color: 'green' },
  // The usual yellow cannot be read on a white background.
  warn: { color: 'ansi256(136)' },
  bad: { color: 'red' },
  strong: { bold: true },
  accent: { color: 'cyan' },
  key: { color: 'cyan' },
  string: { color: 'green' },
  value: { color: 'ansi256(136)' },
  hit: { color: 'black', backgroundColor: 'yellow' },
}
const uncolored: Readonly<Record<Tone, Look>> = {
  ...{ plain: {}, dim: { dimColor: true }, good: {}, warn: {}, bad: { bold: true }, strong: { bold: true } },
  ...{ accent: { bold: true }, key: {}, string: {}, value: {}, hit: { underline: true, bold: true } },
}

/** One solid background; what is coloured is light enough for it, on dark terminals and on light ones. */
const ground = { focus: 'ansi256(24)', blur: 'ansi256(238)' } as const
const lightTones: Readonly<Partial<Record<Tone, string>>> = {
  dim: 'ansi256(252)',
  good: 'ansi256(157)',
  warn: 'ansi256(222)',
  bad: 'ansi256(217)',
  accent: 'ansi256(159)',
}

function lookOf({ tone = 'plain', on }: ShownPiece, colors: boolean): Look {
  if (on === undefined) return (colors ? colored : uncolored)[tone]
  if (!colors) return { inverse: on === 'focus', bold: on === 'blur', underline: tone === 'hit' }
  if (tone === 'hit') return colored.hit
  return { color: lightTones[tone] ?? 'ansi256(255)', backgroundColor: ground[on], bold: on === 'focus' }
}

/** One line of the screen, made of pieces that are safe to show and fit its width together. */
export function Line({ pieces }: { pieces: readonly ShownPiece[] }) {
  const colors = useContext(Colors)
  return (
    <Text wrap='truncate-end'>
      {merged(pieces).map((piece, index) =>
        (piece.tone ?? 'plain') === 'plain' && piece.on === undefined ? (
          piece.text
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no identity, and never move
          <Text key={index} {...lookOf(piece, colors)}>
            {piece.text}
          </Text>
        ),
      )}
    </Text>
  )
}

/** Joins neighbours of the same look, because a line is drawn up to thirty times a second. */
function merged(pieces: readonly ShownPiece[]): readonly ShownPiece[] {
  const result: ShownPiece[] = []
  for (const piece of pieces) {
    const last = result.at(-1)
    if (last !== undefined && (last.tone ?? 'plain') === (piece.tone ?? 'plain') && last.on === piece.on) {
      result[result.length - 1] = { ...last, text: last.text + piece.text }
    } else result.push(piece)
  }
  return result
}
