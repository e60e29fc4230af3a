/** Secrets come from a hidden prompt or from stdin, never from an argument. */

import { UsageError } from '../errors/errors.ts'
import type { Terminal } from './terminal.ts'

export interface SecretQuestion {
  readonly question: string
  /** Read stdin instead of asking. */
  readonly fromStdin: boolean
  /** The flag that says so, for the hint. */
  readonly flag: string
  readonly signal: AbortSignal
}

/** Longest secret taken, in characters; what is longer was piped by mistake. */
const longest = 4096

/**
 * Reads one secret; white space around it is dropped.
 * @throws UsageError when it is empty, too long, or nobody can be asked.
 */
export async function readSecret(terminal: Terminal, options: SecretQuestion): Promise<string> {
  const secret = (
    options.fromStdin ? await readAll(terminal, options.signal) : await ask(terminal, options)
  ).trim()
  if (secret === '') throw new UsageError('Nothing was given', { code: 'secret_missing' })
  if (secret.length > longest)
    throw new UsageError('That is too long to be a secret', { code: 'secret_too_long' })
  return secret
}

async function ask(terminal: Terminal, { question, flag, signal }: SecretQuestion): Promise<string> {
  if (!terminal.interactive) {
    throw new UsageError('There is no terminal to type a secret at', {
      code: 'secret_missing',
      hint: `Pipe it: printf %s "$SECRET" | bankapi … ${flag}`,
    })
  }
  const { password } = await import('@inquirer/prompts')
  return password(
    { message: question, mask: '•' },
    { input: terminal.stdin, output: terminal.stderr, signal },
  )
}

async function readAll({ stdin }: Terminal, signal: AbortSignal): Promise<string> {
  const { text } = await import('node:stream/consumers')
  const stop = () => stdin.destroy(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await text(stdin)
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
