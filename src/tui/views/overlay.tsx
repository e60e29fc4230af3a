import { helpLines } from '../state/help.ts'
import { FRAME_COLUMNS } from '../state/layout.ts'
import { filterFields } from '../state/matching.ts'
import type { State } from '../state/model.ts'
import { viewsMatching } from '../state/palette.ts'
import { type Line, wrapLine } from '../state/pieces.ts'
import { Frame, insideOf } from './frame.tsx'
import type { ShownPiece } from './line.tsx'

interface Content {
  readonly title: string
  readonly rows: readonly (readonly ShownPiece[])[]
  readonly end?: string
}

/** The help, the palette, the filter, a question or a link, above the lists or instead of them. */
export function Overlay({ state, width, lines }: { state: State; width: number; lines: number }) {
  const { title, rows, end = '' } = contentOf(state, width, lines)
  return (
    <Frame
      title={[{ text: title, tone: 'strong' }]}
      end={end}
      width={width}
      height={lines}
      focused
      rows={rows}
    />
  )
}

function contentOf(state: State, width: number, lines: number): Content {
  const { mode } = state
  switch (mode.kind) {
    case 'filter':
      return { title: `Filter ${state.focusedList}`, rows: filterLines(state, mode.field) }
    case 'palette':
      return { title: 'Go to', rows: paletteLines(mode.typed, mode.choice) }
    case 'link':
      return {
        title: `Link to reauthorize ${mode.connectionId}`,
        rows: linkLines(mode.url, mode.note, insideOf(width, lines)),
      }
    case 'confirm':
      return { title: 'y or n', rows: questionLines(state, mode, insideOf(width, lines)) }
    default: {
      const all = helpLines(width - FRAME_COLUMNS)
      const top = mode.kind === 'help' ? mode.top : 0
      const end = all.length > lines - 2 ? `${Math.min(all.length, top + lines - 2)} of ${all.length}` : ''
      return { title: 'Keys', rows: all.slice(top), end }
    }
  }
}

function filterLines(state: State, current: number): (readonly ShownPiece[])[] {
  const { focusedList } = state
  return filterFields(state, focusedList).map(({ name }, index) => {
    const value = state[focusedList].filter[name] ?? '(all)'
    const text = `${index === current ? '>' : ' '} ${name.padEnd(8)} ‹ ${value} ›`
    return [{ text, tone: index === current ? 'strong' : 'plain' }]
  })
}

function paletteLines(typed: string, choice: number): (readonly ShownPiece[])[] {
  const views = viewsMatching(typed)
  return [
    [
      { text: ` :${typed}`, tone: 'strong' },
      { text: '█', tone: 'accent' },
    ],
    ...(views.length === 0 ? [[{ text: '  No such view', tone: 'dim' } as ShownPiece]] : []),
    ...views.map(({ name, shows }, index): readonly ShownPiece[] => {
      const on = index === choice ? ({ on: 'focus' } as const) : {}
      return [
        { text: `${index === choice ? '>' : ' '} ${name.padEnd(14)}`, ...on },
        { text: `${shows} `, tone: 'dim', ...on },
      ]
    }),
  ]
}

/** Whole at any width: what a yes may cost is not to be missed. */
function questionLines(
  { about }: State,
  { action, connectionId }: { readonly action: 'refresh' | 'reauthorize'; readonly connectionId: string },
  inside: number,
): (readonly ShownPiece[])[] {
  const live = about.live ? ' LIVE' : ''
  const text =
    action === 'refresh'
      ? `Refresh${live} ${connectionId}? It uses the daily budget.`
      : `Make a link to reauthorize${live} ${connectionId}? What is shared may be billed.`
  return wrapLine([{ text, tone: 'warn' }], Math.max(8, inside - 2)).map((row) => [{ text: ' ' }, ...row])
}

function linkLines(url: string, note: string, inside: number): (readonly ShownPiece[])[] {
  const width = Math.max(8, inside - 2)
  const text = (line: Line) => wrapLine(line, width).map((row) => [{ text: ' ' }, ...row])
  return [...text([{ text: url, tone: 'accent' }]), [], ...text([{ text: note, tone: 'dim' }])]
}
