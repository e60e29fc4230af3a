import { Box, useInput } from 'ink'
import { type ListPlace, layoutOf } from '../state/layout.ts'
import type { State } from '../state/model.ts'
import { deliveryRows, isFollowing, operationRows, resourceRows, windowOver } from '../state/window.ts'
import { balanceChart } from './balance-chart.ts'
import { lineOfDelivery, operationColumns } from './cells.ts'
import { DetailPane } from './detail-pane.tsx'
import { insideOf } from './frame.tsx'
import { Header } from './header.tsx'
import { keysOf } from './key-names.ts'
import { ListPane } from './list-pane.tsx'
import { Overlay } from './overlay.tsx'
import { emptyResources, resourceColumns } from './resource-cells.ts'
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
  return (
    <Box height={body - overlay}>
      {lists.length > 0 && (
        <Box flexDirection='column' width={listColumns}>
          {lists.map((place) => (
            <Pane key={place.name} state={state} place={place} width={listColumns} />
          ))}
        </Box>
      )}
      {detail !== undefined && <DetailPane state={state} place={detail} />}
    </Box>
  )
}

interface PaneProps {
  readonly state: State
  readonly place: ListPlace
  readonly width: number
}

function Pane({ state, place, width }: PaneProps) {
  const { name } = place
  const { cursor, filter, search, rows: all } = state[name]
  const shared = {
    ...{ place, width, filter, search, all: all.length },
    shown: { now: state.now, utc: state.about.utc },
    focused: state.focusedList === name && !state.detail?.focused && state.mode.kind === 'browse',
    end: isFollowing({ cursor }) && all.length > 0 ? 'following' : '',
  }
  const isNarrowed = search !== '' || Object.values(filter).some((value) => value !== undefined)
  const nothing = isNarrowed ? 'Nothing fits: Esc shows everything' : undefined
  switch (name) {
    case 'operations': {
      const rows = operationRows(state)
      return (
        <ListPane
          {...shared}
          title='Operations'
          columns={operationColumns}
          rows={rows}
          window={windowOver(rows, cursor, place.rows)}
          empty={nothing ?? 'None yet: R on a connection (press :) starts one'}
        />
      )
    }
    case 'deliveries': {
      const rows = deliveryRows(state)
      return (
        <ListPane
          {...shared}
          title='Deliveries'
          line={(row, columns) => lineOfDelivery(row, state.about.utc, columns)}
          rows={rows}
          window={windowOver(rows, cursor, place.rows)}
          empty={nothing ?? emptyDeliveries(state)}
        />
      )
    }
    case 'resources': {
      const { resources } = state
      const { kind, of, status, note } = resources
      const rows = resourceRows(state)
      const empty = status === 'reading' ? 'Reading…' : (note ?? nothing ?? emptyResources[kind])
      return (
        <ListPane
          {...shared}
          title={`${kind[0]?.toUpperCase()}${kind.slice(1)}${of === undefined ? '' : ` of ${of.name}`}`}
          end={status === 'reading' ? 'reading…' : (note ?? '')}
          columns={resourceColumns[kind]}
          rows={rows}
          window={windowOver(rows, cursor, place.rows)}
          empty={empty}
          chart={
            place.chart > 0 ? balanceChart(resources.rows, insideOf(width, place.height), place.chart) : []
          }
        />
      )
    }
  }
}

function emptyDeliveries({ listener }: State): string {
  return listener.state === 'listening'
    ? 'None yet: t has the service send a test event'
    : 'None yet: l starts a listener here'
}
