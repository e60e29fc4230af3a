/** Limits how often the screen is drawn. */

/** At most 30 frames per second. */
const MIN_FRAME_MS = Math.ceil(1000 / 30)

export interface Frames {
  /** Draws a frame soon, one for all requests until then. `urgent` for the effect of a key. */
  request(urgent: boolean): void
  stop(): void
}

/** On a busy machine, drawing takes at most half of the time, except for urgent frames. */
export function createFrames(draw: () => void, now: () => number = () => performance.now()): Frames {
  let begun = -Infinity
  let took = 0
  let timer: NodeJS.Timeout | undefined
  let timerIsUrgent = false
  const frame = () => {
    timer = undefined
    begun = now()
    draw()
    took = now() - begun
  }
  return {
    request(urgent) {
      if (timer !== undefined && (timerIsUrgent || !urgent)) return
      clearTimeout(timer)
      timerIsUrgent = urgent
      const earliest = begun + (urgent ? MIN_FRAME_MS : Math.max(MIN_FRAME_MS, 2 * took))
      timer = setTimeout(frame, Math.max(0, earliest - now()))
    },
    stop() {
      clearTimeout(timer)
      timer = undefined
    },
  }
}
