/** The emulator's clock: ahead of the wall clock, or held still while `advance` runs the jobs due. */
import type { Clock } from '../engine/schedule.ts'

export interface EmulatorClock extends Clock {
  /** Holds the clock at a moment until `release`. */
  hold(at: number): void
  /** Lets time pass again, from where it was held. */
  release(): void
  /** Sets how far the clock is ahead of the wall clock, in milliseconds. */
  moveTo(offset: number): void
  /** Milliseconds the clock is ahead of the wall clock. */
  offset(): number
}

/** `wall` gives milliseconds since the epoch; `offset` continues an earlier run. */
export function createEmulatorClock(wall: () => number, offset = 0): EmulatorClock {
  let ahead = offset
  let held: number | undefined
  return {
    now: () => held ?? wall() + ahead,
    hold(at) {
      held = at
    },
    release() {
      if (held === undefined) return
      ahead = held - wall()
      held = undefined
    },
    moveTo(offset) {
      ahead = offset
    },
    offset: () => (held === undefined ? ahead : held - wall()),
  }
}
