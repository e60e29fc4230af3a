/** Turns Ctrl-C and SIGTERM into an AbortSignal, so that work stops in order; a second signal ends the process at once. */
import { exitCodes } from '../../errors.ts'
import { InterruptedError } from '../errors/errors.ts'

/** The error to throw for one of inquirer's, which are told apart by name: Ctrl-C at a question is an interruption. */
export function asInterruption(error: unknown, signal: AbortSignal): unknown {
  const name = error instanceof Error ? error.name : ''
  if (name === 'ExitPromptError') return new InterruptedError('SIGINT')
  return name === 'AbortPromptError' && signal.aborted ? signal.reason : error
}

export interface Interrupt {
  readonly signal: AbortSignal
  /** Stops listening for signals. */
  dispose(): void
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Aborts the returned signal with an InterruptedError at the first SIGINT, SIGTERM or SIGHUP. `onAgain` is called with each
 * later one; without it, that ends the process.
 */
export function interruptOf(
  process: NodeJS.Process,
  onAgain: (name: NodeJS.Signals) => void = () => process.exit(exitCodes.interrupted.code),
): Interrupt {
  const controller = new AbortController()
  const onSignal = (name: NodeJS.Signals) => {
    if (controller.signal.aborted) onAgain(name)
    else controller.abort(new InterruptedError(name))
  }
  for (const name of signals) process.on(name, onSignal)
  return {
    signal: controller.signal,
    dispose() {
      for (const name of signals) process.off(name, onSignal)
    },
  }
}

/**
 * Waits until a command that runs until it is stopped is stopped: resolves when the signal aborts or the reader of stdout
 * closes it; rejects when `failed` rejects.
 */
export async function untilStopped(signal: AbortSignal, failed: Promise<never>): Promise<void> {
  let stop: () => void = () => {}
  const stopped = new Promise<void>((resolve) => {
    stop = resolve
  })
  signal.addEventListener('abort', stop, { once: true })
  // bin/run.js emits it on EPIPE, for commands that have to clean up.
  process.once('SIGPIPE', stop)
  try {
    if (signal.aborted) stop()
    await Promise.race([stopped, failed])
  } finally {
    signal.removeEventListener('abort', stop)
    process.off('SIGPIPE', stop)
  }
}
