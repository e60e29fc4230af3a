/** One line of `bankapi doctor`. */
import type { CommandContext } from '../../cli/errors/errors.ts'
import { describeFailure } from '../../cli/errors/failure.ts'

export type CheckName =
  | 'node'
  | 'settings'
  | 'base_url'
  | 'keychain'
  | 'service'
  | 'clock'
  | 'key'
  | 'scopes'
  | 'inbox'
  | 'emulator'

/** `skipped`: there was nothing to check, and the message says why. */
export type CheckStatus = 'ok' | 'warning' | 'failed' | 'skipped'

export interface Check {
  readonly name: CheckName
  readonly status: CheckStatus
  /** What was found, one sentence. */
  readonly message: string
  /** What to do about it. */
  readonly hint: string | null
  /** The exit code of this failure alone; null unless failed. */
  readonly exit_code: number | null
}

export function ok(name: CheckName, message: string): Check {
  return { name, status: 'ok', message, hint: null, exit_code: null }
}

export function skipped(name: CheckName, message: string): Check {
  return { name, status: 'skipped', message, hint: null, exit_code: null }
}

export function warning(name: CheckName, message: string, hint: string): Check {
  return { name, status: 'warning', message, hint, exit_code: null }
}

/** A failure in the words and with the exit code that any other command would give it. */
export function failed(name: CheckName, error: unknown, context: CommandContext = {}): Check {
  const { message, hint, exit_code } = describeFailure(error, context)
  return { name, status: 'failed', message, hint: hint ?? null, exit_code }
}

/** The check that `look` comes to; what it throws is a failed check, an interruption aside. */
export async function attempt(
  name: CheckName,
  signal: AbortSignal,
  look: () => Promise<Check>,
): Promise<Check> {
  try {
    return await look()
  } catch (error) {
    if (signal.aborted) throw signal.reason
    return failed(name, error)
  }
}
