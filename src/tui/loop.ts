/** Holds the state: passes events through `reduce` one after another, and performs the effects it returns. */
import type { Effect, TimedEvent, TuiEvent } from './state/events.ts'
import type { State } from './state/model.ts'
import { reduce } from './state/reduce.ts'
import { nextTickAt } from './state/schedule.ts'

export { initialState } from './state/model.ts'

export interface Loop {
  readonly state: State
  dispatch(tuiEvent: TuiEvent): void
  /** Stops the timer and ignores all further events. */
  stop(): void
}

export interface LoopOptions {
  readonly state: State
  readonly now: () => number
  readonly perform: (effect: Effect) => void
  /** Called after each event. */
  readonly onStep: (before: State, event: TimedEvent, after: State) => void
}

/** Of Node's timers. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1

export function createLoop({ state: first, now, perform, onStep }: LoopOptions): Loop {
  let state = first
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  let working = false
  const waiting: TuiEvent[] = []

  function step(tuiEvent: TuiEvent): void {
    const before = state
    const event: TimedEvent = { ...tuiEvent, now: now() }
    const [after, effects] = reduce(before, event)
    state = after
    onStep(before, event, after)
    for (const effect of effects) perform(effect)
  }

  function scheduleTick(): void {
    clearTimeout(timer)
    const at = nextTickAt(state)
    if (at !== undefined)
      timer = setTimeout(() => dispatch({ kind: 'tick' }), Math.max(0, Math.min(MAX_TIMEOUT_MS, at - now())))
  }

  /** Events that an effect dispatches synchronously wait until the current one is done. */
  function dispatch(tuiEvent: TuiEvent): void {
    if (stopped) return
    waiting.push(tuiEvent)
    if (working) return
    working = true
    try {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) step(next)
    } finally {
      working = false
    }
    if (!stopped) scheduleTick()
  }

  return {
    get state() {
      return state
    },
    dispatch,
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}
