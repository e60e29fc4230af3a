/** Holds the state: one event after another goes through `reduce`, and what that asks for is done. */
import type { Effect, Happening, TuiEvent } from './state/events.ts'
import type { State } from './state/model.ts'
import { reduce } from './state/reduce.ts'
import { wakeAt } from './state/wake.ts'

export interface Loop {
  readonly state: State
  dispatch(happening: Happening): void
  /** Ends the clock; nothing changes any more. */
  stop(): void
}

export interface LoopOptions {
  readonly state: State
  readonly now: () => number
  readonly perform: (effect: Effect) => void
  /** Called after each event. */
  readonly onStep: (before: State, event: TuiEvent, after: State) => void
}

/** Longest sleep of a timer, in milliseconds. */
const LONGEST = 2 ** 31 - 1

export function createLoop({ state: first, now, perform, onStep }: LoopOptions): Loop {
  let state = first
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  let working = false
  const waiting: Happening[] = []

  function step(happening: Happening): void {
    const before = state
    const event: TuiEvent = { ...happening, now: now() }
    const [after, effects] = reduce(before, event)
    state = after
    onStep(before, event, after)
    for (const effect of effects) perform(effect)
  }

  function wake(): void {
    clearTimeout(timer)
    const at = wakeAt(state)
    if (at !== undefined) timer = setTimeout(() => dispatch({ kind: 'tick' }), Math.min(LONGEST, at - now()))
  }

  /** What an effect tells at once waits for the event that caused it. */
  function dispatch(happening: Happening): void {
    if (stopped) return
    waiting.push(happening)
    if (working) return
    working = true
    try {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) step(next)
    } finally {
      working = false
    }
    if (!stopped) wake()
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
