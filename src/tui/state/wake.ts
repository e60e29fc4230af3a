import { shownFrom } from './delivery-row.ts'
import type { State } from './model.ts'
import { isRunning } from './operation-row.ts'
import { nextPoll, nextReread } from './schedule.ts'

/**
 * When the clock has something to change, Unix milliseconds: a read is due, a row may be shown, a second passed for
 * something that runs, a notice has been read. Undefined when nothing will: then nothing wakes the process.
 */
export function wakeAt(state: State): number | undefined {
  const { now, notice } = state
  const soon = [nextPoll(state)?.at, nextReread(state)].filter((moment) => moment !== undefined)
  const later = [notice?.until, ...state.deliveries.rows.filter((row) => !row.settled).map(shownFrom)]
  // Elapsed times are shown in seconds.
  if (state.operations.rows.some(isRunning)) later.push((Math.floor(now / 1000) + 1) * 1000)
  const moments = [
    ...soon.map((moment) => Math.max(moment, now + 1)),
    ...later.filter((moment) => moment !== undefined && moment > now).map(Number),
  ]
  return moments.length === 0 ? undefined : Math.min(...moments)
}
