/** The lines of the help, wrapped to a width. */
import { keyBindings } from './keys.ts'
import { type Line, wrapLine } from './pieces.ts'

const KEYS_WIDTH = 13

export function helpLines(width: number): readonly Line[] {
  return keyBindings.flatMap(({ help }) =>
    help === undefined
      ? []
      : wrapLine(
          [{ text: `  ${help.keys.padEnd(KEYS_WIDTH - 2)}`, tone: 'accent' }, { text: help.does }],
          width,
          KEYS_WIDTH,
        ),
  )
}
