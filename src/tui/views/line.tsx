import chalk, { type ChalkInstance } from 'chalk'
import { Text } from 'ink'
import { createContext, useContext } from 'react'
import type { Piece, Tone } from '../state/pieces.ts'

/** A piece, and whether it is on the selected row: of the list that has the focus, or of another. */
export interface ShownPiece extends Piece {
  readonly on?: 'focus' | 'blur'
}

/** Whether colours are used; bold and inverse always are. */
export const Colors = createContext(true)

const colored: Readonly<Record<Tone, ChalkInstance>> = {
  plain: chalk,
  dim: chalk.dim,
  good: chalk.green,
  // The usual yellow cannot be read on a white background.
  warn: chalk.ansi256(136),
  bad: chalk.red,
  strong: chalk.bold,
  accent: chalk.cyan,
  key: chalk.cyan,
  string: chalk.green,
  value: chalk.ansi256(136),
  hit: chalk.black.bgYellow,
}
const { bold, dim } = chalk
const uncolored: Readonly<Record<Tone, ChalkInstance>> = {
  ...{ plain: chalk, dim, good: chalk, warn: chalk, bad: bold, strong: bold },
  ...{ accent: bold, key: chalk, string: chalk, value: chalk, hit: bold.underline },
}

/** One solid background; what is coloured is light enough for it, on dark terminals and on light ones. */
const grounds = { focus: chalk.bold.bgAnsi256(24), blur: chalk.bgAnsi256(238) } as const
const lightTones: Readonly<Partial<Record<Tone, number>>> = {
  ...{ dim: 252, good: 157, warn: 222, bad: 217, accent: 159 },
}

function lookOf({ tone = 'plain', on }: ShownPiece, colors: boolean): ChalkInstance {
  if (on === undefined) return (colors ? colored : uncolored)[tone]
  if (!colors) return on === 'focus' ? (tone === 'hit' ? chalk.inverse.underline : chalk.inverse) : bold
  return tone === 'hit' ? colored.hit : grounds[on].ansi256(lightTones[tone] ?? 255)
}

/**
 * One line of the screen, made of pieces that are safe to show and fit its width together. It is a single text for Ink,
 * which takes its time for each: lines are drawn up to thirty times a second.
 */
export function Line({ pieces }: { pieces: readonly ShownPiece[] }) {
  const colors = useContext(Colors)
  return (
    <Text wrap='truncate-end'>
      {merged(pieces)
        .map((piece) => lookOf(piece, colors)(piece.text))
        .join('')}
    </Text>
  )
}

/** Joins neighbours of the same look. */
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
