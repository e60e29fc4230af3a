/** Milliseconds from one frame to the next: 30 in a second at most. */
const FRAME = Math.ceil(1000 / 30)

export interface Frames {
  /** Something changed: a frame is drawn soon, one for all that change until then. `urgent` when somebody waits. */
  request(urgent: boolean): void
  stop(): void
}

/** On a machine that is busy, drawing leaves as much time as it takes, unless somebody waits for a key's effect. */
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
      const earliest = begun + (urgent ? FRAME : Math.max(FRAME, 2 * took))
      timer = setTimeout(frame, Math.max(0, earliest - now()))
    },
    stop() {
      clearTimeout(timer)
      timer = undefined
    },
  }
}
