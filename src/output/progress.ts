/** Shows progress on stderr as a line that redraws itself. On a terminal only, so that none of it ends up in a log. */
import { meter } from './bar.ts'
import type { Paint } from './palette.ts'
import { safeText } from './safe-text.ts'
import { truncate } from './width.ts'

export interface ProgressOptions {
  /** Whether the stream is a terminal that may be redrawn (so not under CI). */
  readonly tty: boolean
  /** Columns of the terminal, asked at every redraw: a window can change its size. */
  readonly width: () => number
  readonly paint: Paint
  /** Not a terminal: write each new text as a line of its own (`--verbose`). Nothing otherwise. */
  readonly plainLines?: boolean
}

export interface ProgressState {
  readonly text: string
  /** How much is done and of how much, for a bar: bytes, rows, accounts. */
  readonly done?: number | undefined
  readonly total?: number | undefined
  /** How to write an amount, such as `formatBytes`; digits when absent. */
  readonly unit?: ((amount: number) => string) | undefined
}

export interface Progress {
  /** Shows a text, or a state with a bar. */
  update(state: string | ProgressState): void
  /** Writes a line that stays (already safe), above the progress line. */
  line(text: string): void
  /** Removes the progress line. May be called twice; a later `update` starts anew. */
  stop(): void
}

const frames = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'
const frameMs = 80
const lineStart = '\r\u001b[K'

/**
 * A progress line on `stream`. It never takes more than one line of the terminal, hides no cursor and holds no
 * process open, so a command that dies leaves nothing behind but its last frame.
 */
export function createProgress(
  stream: { write(text: string): unknown },
  { tty, width, paint, plainLines = false }: ProgressOptions,
): Progress {
  let state: ProgressState | undefined
  let timer: NodeJS.Timeout | undefined
  let frame = 0

  const draw = () => {
    if (state === undefined) return
    // One column stays free: some terminals wrap after writing the last one.
    const room = Math.max(1, width() - 3)
    const mark = frames[frame % frames.length] ?? ''
    stream.write(`${lineStart}${paint('dim', mark)} ${truncate(progressText(state, room), room)}`)
  }
  const stop = () => {
    if (timer !== undefined) stream.write(lineStart)
    clearInterval(timer)
    timer = undefined
    state = undefined
  }

  return {
    update(next) {
      const before = state?.text
      state = typeof next === 'string' ? { text: next } : next
      if (!tty) {
        if (plainLines && state.text !== before) stream.write(`${safeText(state.text)}\n`)
        return
      }
      if (timer !== undefined) return
      // The first frame waits too, so that quick work shows no progress.
      timer = setInterval(() => {
        frame += 1
        draw()
      }, frameMs)
      timer.unref()
    },
    line(text) {
      stream.write(timer === undefined ? `${text}\n` : `${lineStart}${text}\n`)
      if (timer !== undefined) draw()
    },
    stop,
  }
}

/** The text and, when a total is known, a bar with percent and amounts in at most `room` columns. */
function progressText({ text, done, total, unit = String }: ProgressState, room: number): string {
  const label = safeText(text)
  if (done === undefined) return label
  if (total === undefined || total <= 0) return `${label} ${unit(done)}`
  const share = Math.min(1, Math.max(0, done / total))
  const figures = `${Math.floor(share * 100)}% ${unit(done)}/${unit(total)}`
  const barWidth = Math.min(30, room - figures.length - 20)
  if (barWidth < 5) return `${figures} ${label}`
  return `${meter(share, barWidth)} ${figures} ${label}`
}
