/** Reads input: secrets from a hidden prompt or stdin, never from an argument, and the bytes of a file or stdin. */
import { readFile } from 'node:fs/promises'
import { UsageError } from '../errors/errors.ts'
import type { Terminal } from './terminal.ts'

export interface SecretQuestion {
  readonly question: string
  /** Read stdin instead of asking. */
  readonly fromStdin: boolean
  /** The flag that reads stdin, named in the hint. */
  readonly flag: string
  readonly signal: AbortSignal
}

/** Characters. Longer input was piped by mistake. */
const MAX_SECRET_LENGTH = 4096

/**
 * Reads one secret; white space around it is dropped.
 * @throws UsageError when it is empty, too long, or nobody can be asked.
 */
export async function readSecret(terminal: Terminal, options: SecretQuestion): Promise<string> {
  const secret = (
    options.fromStdin ? await readText(terminal, options.signal) : await ask(terminal, options)
  ).trim()
  if (secret === '') throw new UsageError('Nothing was given', { code: 'secret_missing' })
  if (secret.length > MAX_SECRET_LENGTH)
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

/** All of stdin. Rejects with the signal's reason when it aborts first. */
export async function readText({ stdin }: Terminal, signal: AbortSignal): Promise<string> {
  const { text } = await import('node:stream/consumers')
  const stop = () => stdin.destroy(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await text(stdin)
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/**
 * The exact bytes of a file, or of stdin for `-`.
 * @throws UsageError for a file that cannot be read.
 */
export async function inputBytes(input: string, stdin: NodeJS.ReadStream): Promise<Uint8Array> {
  if (input === '-') {
    const { buffer } = await import('node:stream/consumers')
    return buffer(stdin)
  }
  try {
    return await readFile(input)
  } catch {
    throw new UsageError(`${input} is not a file that can be read`, { code: 'unreadable_file' })
  }
}
