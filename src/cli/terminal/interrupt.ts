import { exitCodes } from '../../errors.ts'
import { InterruptedError } from '../errors/errors.ts'
/** Ctrl-C and SIGTERM as an AbortSignal: work stops in order, a second signal ends the process at once. */

/** Ctrl-C at a question, which a raw terminal passes on as a key: by the names that inquirer gives its errors. */
export function asInterruption(error: unknown, signal: AbortSignal): unknown {
  const name = error instanceof Error ? error.name : ''
  if (name === 'ExitPromptError') return new InterruptedError('SIGINT')
  return name === 'AbortPromptError' && signal.aborted ? signal.reason : error
}

export interface Interrupt {
  readonly signal: AbortSignal
  /** Stops listening, so that nothing keeps the process from its default behaviour. */
  dispose(): void
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Aborts the returned signal with an InterruptedError at the first SIGINT, SIGTERM or SIGHUP. */
export function interruptOf(process: NodeJS.Process): Interrupt {
  const controller = new AbortController()
  const onSignal = (name: NodeJS.Signals) => {
    if (controller.signal.aborted) process.exit(exitCodes.interrupted.code)
    controller.abort(new InterruptedError(name))
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
 * For commands that run until somebody stops them. Resolves when the signal aborts or the reader of stdout goes away; rejects
 * with what `failed` rejects with.
 */
export async function untilStopped(signal: AbortSignal, failed: Promise<never>): Promise<void> {
  let stop: () => void = () => {}
  const stopped = new Promise<void>((resolve) => {
    stop = resolve
  })
  signal.addEventListener('abort', stop, { once: true })
  // bin/run.js turns EPIPE into this for whoever has something to put back.
  process.once('SIGPIPE', stop)
  try {
    if (signal.aborted) stop()
    await Promise.race([stopped, failed])
  } finally {
    signal.removeEventListener('abort', stop)
    process.off('SIGPIPE', stop)
  }
}
