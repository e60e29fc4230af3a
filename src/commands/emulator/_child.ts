/** Runs another program in this terminal, hands on the signals that come for it, and says how it ended. */
import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { constants } from 'node:os'
import { UsageError } from '../../cli/errors/errors.ts'

export interface Child {
  /** Its exit code; 128 and the number of the signal that killed it, as in a shell. */
  readonly ended: Promise<number>
  /** Hands on a signal that came to this process. */
  handOn(signal: NodeJS.Signals): void
}

/**
 * Starts it with stdin, stdout and stderr of this process.
 *
 * At a terminal it is in the process group of this one: Ctrl-C and Ctrl-\ reach it without us, and the first is not handed
 * on, as many programs take a second one as an order to stop at once. Anywhere else it has a group of its own, and signals are handed on to the
 * whole of it: npm, for one, does not hand them on to what it runs.
 *
 * `ended` rejects with a UsageError when it cannot be started.
 */
export function startChild(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Child {
  const isWindows = process.platform === 'win32'
  const atTerminal = isWindows || hasTerminal()
  const options = { stdio: 'inherit', env } as const
  const child = isWindows
    ? // A shell, as npm and others are scripts there.
      spawn([command, ...args].map(forCmd).join(' '), { ...options, shell: true })
    : spawn(command, args, { ...options, detached: !atTerminal })
  const seen = new Set<NodeJS.Signals>()
  // A Ctrl-C that came before the command was there reached this process alone, and is noticed in the next turn of the loop.
  let mayPrecede = true
  setImmediate(() => {
    setImmediate(() => {
      mayPrecede = false
    })
  })

  const send = (signal: NodeJS.Signals) => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    try {
      process.kill(atTerminal ? child.pid : -child.pid, signal)
    } catch {
      // It has just ended.
    }
  }
  const onExit = () => send('SIGTERM')
  process.once('exit', onExit)
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) => reject(notStarted(command, error)))
    child.once('exit', (code, signal) => resolve(code ?? 128 + (constants.signals[signal ?? 'SIGTERM'] ?? 0)))
  }).finally(() => process.off('exit', onExit))
  return {
    ended,
    handOn(signal) {
      const isFirst = !seen.has(signal)
      seen.add(signal)
      if (atTerminal && isTyped(signal) && isFirst && !mayPrecede) return
      send(signal)
    },
  }
}

/** Ctrl-C and Ctrl-\: the terminal sends them to the whole process group. */
function isTyped(signal: NodeJS.Signals): boolean {
  return signal === 'SIGINT' || signal === 'SIGQUIT'
}

/** Whether this process has a terminal that sends it signals. */
function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return true
  } catch {
    return false
  }
}

function notStarted(command: string, { code, message }: NodeJS.ErrnoException): UsageError {
  const why =
    code === 'ENOENT'
      ? 'is not there'
      : code === 'EACCES'
        ? 'cannot be executed'
        : `cannot be started: ${message}`
  return new UsageError(`The command ${command} ${why}`, {
    code: 'command_not_started',
    hint: 'It is looked up in PATH; for what a shell understands: emulator exec -- sh -c "…"',
  })
}

/** A word of a command line for cmd.exe: quoted for the program, then for cmd itself. */
function forCmd(word: string): string {
  const quoted = `"${word.replaceAll(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`
  return quoted.replaceAll(/[()%!^"<>&|;, ]/g, '^$&')
}
