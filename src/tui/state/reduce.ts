/** Computes the next state and its effects from an event. Pure: the time comes with each event. */
import { followDetail, scrollDetail } from './detail.ts'
import type { Effect, Step, TimedEvent } from './events.ts'
import { rateAt } from './figures.ts'
import { notify, type State } from './model.ts'
import { press } from './modes.ts'
import { rereadDue, withResources } from './resources.ts'
import { failedPoll, mergeDeliveries, mergeOperations, polled, rereadDeliveries } from './rows.ts'
import { startDue } from './schedule.ts'

export function reduce(before: State, event: TimedEvent): Step<State> {
  // When the clock was set back, time stands still until it has caught up.
  const now = Math.max(before.now, event.now)
  const notice = before.notice !== undefined && before.notice.until <= now ? undefined : before.notice
  const rate = rateAt(before.rate, now)
  const [state, effects] = apply({ ...before, now, notice, rate }, event)
  const [read, reads] = startDue(state)
  const [listed, lists] = rereadDue(read)
  const [next, details] = followDetail(listed, event.kind === 'key' || event.kind === 'resized')
  return [next, [...effects, ...reads, ...lists, ...details]]
}

function apply(state: State, event: TimedEvent): Step<State> {
  switch (event.kind) {
    case 'tick':
      return [state, none]
    case 'key':
      return press(state, event.key)
    case 'resized':
      return [{ ...state, columns: event.columns, lines: event.lines }, none]
    case 'operations':
      return mergeOperations(state, event.operations)
    case 'polled':
      return polled(state, event.operation, event.nextInMs)
    case 'poll-failed':
      return failedPoll(state, event)
    case 'deliveries':
      return mergeDeliveries(state, event.deliveries)
    case 'reread':
      return rereadDeliveries(state, event.deliveries)
    case 'resources': {
      const next = withResources(state, event)
      const { detail } = next
      // The record behind the row may have changed.
      const due = detail?.list === 'resources' && event.done !== undefined
      return [due ? { ...next, detail: { ...detail, due } } : next, none]
    }
    case 'link': {
      const { connectionId, url, note } = event
      const shown: State = { ...state, mode: { kind: 'link', connectionId, url, note } }
      return [notify(shown, 'Copied the link', 'good'), [{ kind: 'copy', text: url }]]
    }
    case 'detail':
      return [withDetail(state, event), none]
    case 'replayed': {
      const replaying = state.replaying.filter((id) => id !== event.id)
      return [notify({ ...state, replaying }, event.text, event.ok ? 'good' : 'bad'), none]
    }
    case 'refreshed': {
      const accepted = notify(state, `Accepted: ${event.operation.id}`, 'good')
      return mergeOperations(accepted, [event.operation])
    }
    case 'listener-starting':
      return [{ ...state, listener: { ...state.listener, state: 'starting' } }, none]
    case 'listening': {
      const { url, targets, subscription } = event
      return [{ ...state, listener: { state: 'listening', url, targets, subscription, down: [] } }, none]
    }
    case 'not-listening':
      return [notify({ ...state, listener: { ...state.listener, state: 'none' } }, event.text, 'bad'), none]
    case 'target':
      return [withTarget(state, event.url, event.up, event.error), none]
    case 'listener-closed':
      return [{ ...state, listener: { ...state.listener, state: 'closed' } }, none]
    case 'noticed':
      return [notify(state, event.text, event.ok ? 'plain' : 'bad'), none]
  }
}

const none: readonly Effect[] = []

/** Of a detail; a delivery may have a megabyte of lines. */
const MAX_DETAIL_LINES = 5000

function withDetail(state: State, event: Extract<TimedEvent, { kind: 'detail' }>): State {
  const { detail } = state
  if (detail === undefined || detail.list !== event.list || detail.key !== event.key) return state
  const tabs = event.tabs.map(({ name, lines }) => ({ name, lines: lines.slice(0, MAX_DETAIL_LINES) }))
  const next = {
    ...state,
    detail: { ...detail, notes: event.notes, tabs, tab: Math.min(detail.tab, Math.max(0, tabs.length - 1)) },
  }
  return scrollDetail(next, 0)
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
