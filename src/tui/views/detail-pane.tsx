import { isDelivery } from '../state/any-row.ts'
import { bodyOf, detailHeight, headOf, tabLines } from '../state/detail.ts'
import type { Layout } from '../state/layout.ts'
import type { Detail, State } from '../state/model.ts'
import type { Line, Piece } from '../state/pieces.ts'
import { currentRow } from '../state/window.ts'
import { Frame } from './frame.tsx'

export interface DetailPaneProps {
  readonly state: State
  readonly place: NonNullable<Layout['detail']>
}

const empty: Line = []

/** What is known about the row under the cursor: its facts, the tabs, and as much of one tab as fits. */
export function DetailPane({ state, place }: DetailPaneProps) {
  const { detail } = state
  const { columns, height } = place
  if (detail === undefined) {
    const rows = [empty, [{ text: ' Nothing is selected', tone: 'dim' } as const]]
    return (
      <Frame
        title={[{ text: 'Detail', tone: 'dim' }]}
        width={columns}
        height={height}
        focused={false}
        rows={rows}
      />
    )
  }
  const lines = bodyOf(state)
  const room = detailHeight(state)
  const rows = [
    ...headOf(state),
    ...tabsOf(detail, tabLines(state)),
    ...lines.slice(detail.top, detail.top + room),
  ]
  const shown = Math.min(lines.length, detail.top + room)
  const end = lines.length > room ? `${shown} of ${lines.length} lines` : ''
  return (
    <Frame
      title={titleOf(state, detail)}
      end={end}
      width={columns}
      height={height}
      focused={detail.focused}
      rows={rows.map((line) => [{ text: ' ' }, ...line])}
    />
  )
}

function titleOf(state: State, { focused }: Detail): Piece[] {
  const row = currentRow(state, state.focusedList)
  const id = row === undefined ? '' : isDelivery(row) ? (row.eventId ?? `delivery ${row.id}`) : row.id
  return [{ text: id, tone: focused ? 'strong' : 'plain' }]
}

/** `1 Body  2 Headers  3 Answer  4 Attempts`, the one shown underlined by a bar. */
function tabsOf({ tabs = [], tab }: Detail, lines: number): readonly Line[] {
  if (lines < 3) return [empty]
  const names: Piece[] = []
  const bars: Piece[] = []
  for (const [index, { name }] of tabs.entries()) {
    const text = `${index + 1} ${name}`
    const isShown = index === tab
    names.push({ text, tone: isShown ? 'strong' : 'dim' }, { text: '  ' })
    bars.push(
      { text: (isShown ? '━' : '─').repeat(text.length), tone: isShown ? 'accent' : 'dim' },
      { text: '──', tone: 'dim' },
    )
  }
  return [empty, names, bars]
}
