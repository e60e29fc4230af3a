/** What the keys that do something ask of the world. */
import { type DeliveryRow, verdictOf } from './delivery-row.ts'
import type { Effect, Step } from './events.ts'
import type { NoticeTone, State } from './model.ts'
import { connectionOf } from './operation-row.ts'
import { currentRow } from './window.ts'

/** Milliseconds a notice stays. */
const NOTICE = 4000
/** Deliveries sent again at the same time: a key that is held down must not flood a target. */
const MOST_REPLAYS = 8

export function notify(state: State, text: string, tone: NoticeTone): State {
  return { ...state, notice: { text, tone, until: state.now + NOTICE } }
}

/** Sends the selected delivery to the target again. */
export function askReplay(state: State): Step<State> {
  const row = selectedDelivery(state)
  if (row === undefined) return [notify(state, 'Select a delivery to send again', 'bad'), []]
  if (!row.verified) return [notify(state, 'Not sent: its signature did not verify', 'bad'), []]
  if (state.replaying.includes(row.id)) return [state, []]
  if (state.replaying.length >= MOST_REPLAYS) {
    return [notify(state, 'Wait: deliveries are being sent again', 'bad'), []]
  }
  return [{ ...state, replaying: [...state.replaying, row.id] }, [{ kind: 'replay', id: row.id }]]
}

/** Asks whether the selected Connection is to be refreshed: that uses the daily budget. */
export function askRefresh(state: State): Step<State> {
  const connectionId = selectedConnection(state)
  if (connectionId === undefined) {
    return [notify(state, 'Select a row that is on a connection', 'bad'), []]
  }
  return [{ ...state, mode: { kind: 'confirm-refresh', connectionId } }, []]
}

export function askCopy(state: State): Step<State> {
  const row = currentRow(state, state.front)
  const text = row === undefined || 'status' in row ? row?.id : row.eventId
  if (text === undefined) return [notify(state, 'Nothing to copy', 'bad'), []]
  return [notify(state, `Copied ${text}`, 'good'), [{ kind: 'copy', text }]]
}

export function askOpen(state: State): Step<State> {
  const url = currentRow(state, state.front)?.docUrl
  if (url === undefined) return [notify(state, 'No doc_url here', 'bad'), []]
  return [notify(state, `Opening ${url}`, 'plain'), [{ kind: 'open', url }]]
}

/** Stops the screen, or lets it go on with what came since. */
export function togglePause(state: State): State {
  if (state.paused !== undefined) return { ...state, paused: undefined }
  const { operations, deliveries } = state
  return { ...state, paused: { operations: operations.rows, deliveries: deliveries.rows, missed: 0 } }
}

/** What can be done with the selected row. */
export function possible(state: State): { replay: boolean; refresh: boolean; open: boolean } {
  const delivery = selectedDelivery(state)
  return {
    replay: delivery?.verified ?? false,
    refresh: selectedConnection(state) !== undefined,
    open: currentRow(state, state.front)?.docUrl !== undefined,
  }
}

export const quit: readonly Effect[] = [{ kind: 'quit' }]

function selectedDelivery(state: State): DeliveryRow | undefined {
  const row = currentRow(state, state.front)
  return row !== undefined && !('status' in row) ? row : undefined
}

/** A placeholder id is no Connection yet: it cannot be refreshed. */
function selectedConnection(state: State): string | undefined {
  const row = currentRow(state, state.front)
  if (row === undefined) return undefined
  const id = 'status' in row ? connectionOf(row) : connectionMentioned(row)
  return id !== undefined && /^con_[A-Z]/.test(id) ? id : undefined
}

function connectionMentioned(row: DeliveryRow): string | undefined {
  if (verdictOf(row) === 'refused') return undefined
  return row.mentions.find((id) => id.startsWith('con_'))
}
