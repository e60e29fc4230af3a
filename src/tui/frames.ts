/** Milliseconds from one frame to the next: 30 in a second at most. */
const FRAME = 1000 / 30

export interface Frames {
  /** Something changed: a frame is drawn soon, one for all that change until then. */
  request(): void
  stop(): void
}

export function createFrames(draw: () => void, now: () => number = () => performance.now()): Frames {
  let last = -Infinity
  let timer: NodeJS.Timeout | undefined
  return {
    request() {
      timer ??= setTimeout(
        () => {
          timer = undefined
          last = now()
          draw()
        },
        Math.max(0, last + FRAME - now()),
      )
    },
    stop() {
      clearTimeout(timer)
      timer = undefined
    },
  }
}
