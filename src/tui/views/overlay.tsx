import { Box } from 'ink'
import { keyBindings } from '../state/keys.ts'
import { filterFields } from '../state/matching.ts'
import type { State } from '../state/model.ts'
import { Line, type Piece } from './line.tsx'
import { toWidth } from './text-width.ts'

/** The help or the filter, above the lists or instead of them. */
export function Overlay({ state, width, lines }: { state: State; width: number; lines: number }) {
  const content =
    state.mode.kind === 'filter' ? filterLines(state, state.mode.field, width) : helpLines(width)
  const shown = content.slice(0, lines)
  const blank = Array.from({ length: lines - shown.length }, (): Piece => ({ text: ' ' }))
  return (
    <Box flexDirection='column' width={width}>
      {[...shown, ...blank].map((piece, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines of fixed text
        <Line key={index} pieces={[piece]} />
      ))}
    </Box>
  )
}

function helpLines(width: number): Piece[] {
  return [
    { text: toWidth('Keys', width), tone: 'strong' },
    ...keyBindings.flatMap(({ help }) =>
      help === undefined ? [] : [{ text: toWidth(`  ${toWidth(help.keys, 10)} ${help.does}`, width) }],
    ),
  ]
}

function filterLines(state: State, current: number, width: number): Piece[] {
  const { focusedList } = state
  const fields = filterFields(state, focusedList)
  return [
    { text: toWidth(`Filter ${focusedList}`, width), tone: 'strong' },
    ...fields.map(({ name }, index): Piece => {
      const value = state[focusedList].filter[name] ?? '(all)'
      const text = `${index === current ? '>' : ' '} ${toWidth(name, 8)} ‹ ${value} ›`
      return { text: toWidth(text, width), tone: index === current ? 'strong' : 'plain' }
    }),
  ]
}
