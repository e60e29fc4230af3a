/** Ctrl-C and SIGTERM as an AbortSignal: work stops in order, a second signal ends the process at once. */
import { exitCodes } from './exit-codes.ts'

/** The user, or the system, asked to stop. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError'
  readonly signalName: string
  /** How to go on with what was interrupted; whoever knows sets it. */
  hint: string | undefined

  constructor(signalName: string) {
    super('Interrupted')
    this.signalName = signalName
  }
}

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
