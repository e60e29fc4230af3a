/**
 * The whole behaviour of the screen: `(state, event) -> [state, effects]`. Pure; the clock comes with each event.
 */

import { arrived, changed } from './arriving.ts'
import { notify } from './asking.ts'
import type { Effect, Step, TuiEvent } from './events.ts'
import type { State } from './model.ts'
import { press } from './pressing.ts'
import { startDue } from './schedule.ts'
import { failedPoll, learned, polled } from './watching.ts'

export function reduce(before: State, event: TuiEvent): Step<State> {
  // A clock that was set back stands still here until it has caught up.
  const now = Math.max(before.now, event.now)
  const notice = before.notice !== undefined && before.notice.until <= now ? undefined : before.notice
  const [state, effects] = happen({ ...before, now, notice }, event)
  const [next, reads] = startDue(state)
  return [next, reads.length === 0 ? effects : [...effects, ...reads]]
}

function happen(state: State, event: TuiEvent): Step<State> {
  switch (event.kind) {
    case 'tick':
      return [state, none]
    case 'key':
      return press(state, event.key)
    case 'resized':
      return [{ ...state, columns: event.columns, lines: event.lines }, none]
    case 'operations':
      return learned(state, event.operations)
    case 'polled':
      return polled(state, event.operation, event.nextInMs)
    case 'poll-failed':
      return failedPoll(state, event)
    case 'deliveries':
      return arrived(state, event.deliveries)
    case 'reread':
      return changed(state, event.deliveries)
    case 'detail':
      return [withDetail(state, event), none]
    case 'replayed': {
      const replaying = state.replaying.filter((id) => id !== event.id)
      return [notify({ ...state, replaying }, event.text, event.ok ? 'good' : 'bad'), none]
    }
    case 'refreshed': {
      const accepted = notify(state, `Accepted: ${event.operation.id}`, 'good')
      return learned(accepted, [event.operation])
    }
    case 'listening': {
      const { url, targets } = event
      return [{ ...state, listener: { state: 'listening', url, targets, down: [] } }, none]
    }
    case 'target':
      return [withTarget(state, event.url, event.up, event.error), none]
    case 'listener-closed':
      return [{ ...state, listener: { ...state.listener, state: 'closed' } }, none]
    case 'noticed':
      return [notify(state, event.text, event.ok ? 'plain' : 'bad'), none]
  }
}

const none: readonly Effect[] = []

/** Lines of a detail that are kept; a delivery may be a megabyte of them. */
const MOST_LINES = 5000

function withDetail(state: State, event: Extract<TuiEvent, { kind: 'detail' }>): State {
  const { detail } = state
  if (detail === undefined || detail.list !== event.list || detail.key !== event.key) return state
  const lines = event.lines.slice(0, MOST_LINES)
  return { ...state, detail: { ...detail, lines, top: Math.min(detail.top, Math.max(0, lines.length - 1)) } }
}

function withTarget(state: State, url: string, up: boolean, error: string): State {
  const others = state.listener.down.filter((target) => target !== url)
  const down = up ? others : [...others, url].slice(-20)
  const told = notify(
    state,
    up ? `${url} is up again` : `${url} cannot be reached: ${error}`,
    up ? 'good' : 'bad',
  )
  return { ...told, listener: { ...state.listener, down } }
}
