/** The errors that commands throw, and the context that goes with a failure to `main`. */
import { getSystemErrorMessage } from 'node:util'
import { BankapiError } from '../../errors.ts'

/** Bad flag, argument or input, refused before a request (exit 2). */
export class UsageError extends BankapiError {
  override readonly name = 'UsageError'

  constructor(sentence: string, options: { readonly code?: string; readonly hint?: string } = {}) {
    super(sentence, { code: 'usage', exit: 'usage', ...options })
  }
}

/** The user, or the system, asked the command to stop. A command whose work goes on sets `hint`. */
export class InterruptedError extends BankapiError {
  override readonly name = 'InterruptedError'
  readonly signalName: string

  constructor(signalName: string) {
    super('Interrupted', { code: 'interrupted', exit: 'interrupted' })
    this.signalName = signalName
  }
}

/** The input of the failed command, and the facts it had found. Never a secret. */
export interface CommandContext {
  /** `bankapi/1.0.0 linux-x64 node-v24.0.0` */
  readonly program?: string
  /** The words of the command: `accounts list`. */
  readonly command?: string
  /** As parsed; undefined when parsing itself failed. */
  readonly flags?: Readonly<Record<string, unknown>> | undefined
  readonly args?: Readonly<Record<string, unknown>> | undefined
  readonly environment?: string | undefined
  readonly client?: string | undefined
  /** The first characters of the key in use; undefined when none was looked up. */
  readonly key?: string | undefined
}

/** Carries a failure from a command to `main`, with its context. `cause` is what was thrown. */
export class FailedCommand extends Error {
  override readonly name = 'FailedCommand'
  readonly context: CommandContext

  constructor(cause: unknown, context: CommandContext) {
    super('the command failed', { cause })
    this.context = context
  }
}

const diskErrorCodes = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'EROFS', 'EACCES', 'EPERM'])

/** The error of a write to a disk that is full, read-only or broken, naming the file; any other error as it is. */
export function unwritable(error: unknown, file: string): unknown {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException
  if (code === undefined || syscall === undefined || !diskErrorCodes.has(code)) return error
  return new BankapiError(`${file} cannot be written: ${systemMessage(error)}`, {
    code: 'not_writable',
    exit: 'unexpected',
    hint: 'What was written is not whole',
  })
}

/** The message of the operating system: `no space left on device`. */
export function systemMessage(error: unknown): string {
  const { errno, message } = error as NodeJS.ErrnoException
  return errno === undefined ? message : getSystemErrorMessage(errno)
}
