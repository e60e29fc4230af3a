/** When an undelivered event is tried again: exponentially later, for up to 24 hours. */
import { day } from './engine.ts'

/**
 * Milliseconds from the attempt that failed to the next one, or undefined when the 24 hours since the event are used
 * up. `attempts` have been made; `age` is the time since the event was created.
 */
export function retryDelay(attempts: number, age: number, first: number): number | undefined {
  const delay = first * 2 ** (attempts - 1)
  return age + delay <= day ? delay : undefined
}
