import { Box, useInput } from 'ink'
import { layoutOf } from '../state/layout.ts'
import type { ListName, State } from '../state/model.ts'
import { deliveryRows, isFollowing, operationRows, windowOver } from '../state/window.ts'
import { deliveryCell, deliveryColumns, operationCell, operationColumns } from './columns.ts'
import { DetailPane } from './detail-pane.tsx'
import { Header } from './header.tsx'
import { keysOf } from './key-names.ts'
import { Line } from './line.tsx'
import { ListPane } from './list-pane.tsx'
import { Overlay } from './overlay.tsx'
import { StatusBar } from './status-bar.tsx'

export interface ScreenProps {
  readonly state: State
  readonly onKey: (key: string) => void
}

/** The whole screen: exactly as many lines as the terminal has. */
export function Screen({ state, onKey }: ScreenProps) {
  useInput((input, key) => {
    for (const name of keysOf(input, key)) onKey(name)
  })
  const layout = layoutOf(state)
  const { columns, lines, body } = layout
  return (
    <Box flexDirection='column' width={columns} height={lines}>
      <Header state={state} width={columns} lines={layout.header} />
      {layout.overlay > 0 && <Overlay state={state} width={columns} lines={layout.overlay} />}
      {layout.overlay < body && <Body state={state} />}
      <StatusBar state={state} width={columns} />
    </Box>
  )
}

function Body({ state }: { state: State }) {
  const { lists, listColumns, detail, body, overlay } = layoutOf(state)
  const rule = Array.from({ length: body }, (_, index) => index)
  return (
    <Box height={body - overlay}>
      {lists.length > 0 && (
        <Box flexDirection='column' width={listColumns}>
          {lists.map(({ name, rows, heads }) => (
            <Pane key={name} state={state} name={name} rows={rows} heads={heads} width={listColumns} />
          ))}
        </Box>
      )}
      {detail?.beside && (
        <Box flexDirection='column' width={1}>
          {rule.map((index) => (
            <Line key={index} pieces={[{ text: '│', tone: 'dim' }]} />
          ))}
        </Box>
      )}
      {detail !== undefined && state.detail !== undefined && (
        <DetailPane detail={state.detail} width={detail.columns} lines={detail.lines} />
      )}
    </Box>
  )
}

interface PaneProps {
  readonly state: State
  readonly name: ListName
  readonly rows: number
  readonly heads: boolean
  readonly width: number
}

function Pane({ state, name, ...size }: PaneProps) {
  const { cursor, filter, search } = state[name]
  const shared = {
    ...size,
    filter,
    search,
    focused: state.focusedList === name && !state.detail?.focused,
    following: isFollowing({ cursor }),
  }
  if (name === 'operations') {
    return (
      <ListPane
        {...shared}
        title='Operations'
        columns={operationColumns}
        cell={(row, column) => operationCell(row, column, state.now)}
        window={windowOver(operationRows(state), cursor, size.rows)}
        empty='None yet: what any bankapi on this machine starts appears here'
      />
    )
  }
  return (
    <ListPane
      {...shared}
      title='Deliveries'
      columns={deliveryColumns}
      cell={(row, column) => deliveryCell(row, column, state.about.utc)}
      window={windowOver(deliveryRows(state), cursor, size.rows)}
      empty='None yet'
    />
  )
}
