/** Milliseconds from one frame to the next: 30 in a second at most. */
const FRAME = Math.ceil(1000 / 30)

export interface Frames {
  /** Something changed: a frame is drawn soon, one for all that change until then. */
  request(): void
  stop(): void
}

/** On a machine that is busy, drawing leaves as much time as it takes: keys and deliveries come first. */
export function createFrames(draw: () => void, now: () => number = () => performance.now()): Frames {
  let earliest = 0
  let timer: NodeJS.Timeout | undefined
  const frame = () => {
    timer = undefined
    const begun = now()
    draw()
    const done = now()
    earliest = Math.max(begun + FRAME, done + (done - begun))
  }
  return {
    request() {
      timer ??= setTimeout(frame, Math.max(0, earliest - now()))
    },
    stop() {
      clearTimeout(timer)
      timer = undefined
    },
  }
}
