/** What a disk says when it does not take what is written: the user's to solve, not a bug. */
import { getSystemErrorMessage } from 'node:util'
import { OutcomeError } from './outcome-error.ts'

const fullOrBroken = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'EROFS', 'EACCES', 'EPERM'])

/** The error of a write as an OutcomeError that names the place; any other error as it is. */
export function unwritable(error: unknown, place: string): unknown {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException
  if (code === undefined || syscall === undefined || !fullOrBroken.has(code)) return error
  return new OutcomeError(`${place} cannot be written: ${systemMessage(error)}`, {
    code: 'not_writable',
    exit: 'unexpected',
    hint: 'What was written is not whole',
  })
}

/** The operating system's own words: `no space left on device`. */
export function systemMessage(error: unknown): string {
  const { errno, message } = error as NodeJS.ErrnoException
  return errno === undefined ? message : getSystemErrorMessage(errno)
}
