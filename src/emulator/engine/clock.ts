/** Time as the rules see it. */

/** Milliseconds since the epoch on the emulator's clock. */
export interface Clock {
  now(): number
}
