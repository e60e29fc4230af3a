/** Reads and writes the operating system's keychain, through a process of its own (keychain-process.ts). */
import { fileURLToPath } from 'node:url'
import type { EnvironmentName } from '../config/environments.ts'
import type { Machine } from '../machine/machine.ts'
import { KeychainError } from './errors.ts'
import type { KeychainAnswer, KeychainQuestion } from './keychain-process.ts'

/** How long to wait for the keychain. */
const TIMEOUT_MS = 3000

/** The service name of every entry: `secret-tool search service bankapi` finds them. */
const SERVICE = 'bankapi'

/** Account names in the keychain and in the credentials file; signing-secrets.ts has those of signing secrets. */
export const apiKeyAccount = (environment: EnvironmentName): string => `${environment}/api-key`
export const portalSecretAccount = (environment: EnvironmentName): string => `${environment}/portal-secret`

/**
 * The operating system's keychain (Secret Service on Linux, Keychain on macOS, Credential Manager on Windows).
 * Every call answers within 3 s, or throws KeychainError: `timeout`, `locked` or `unavailable`.
 */
export interface Keychain {
  /** The secret of an account; undefined when the keychain has none. */
  get(account: string): Promise<string | undefined>
  set(account: string, secret: string): Promise<void>
  /** Returns whether there was one. */
  delete(account: string): Promise<boolean>
  /** The accounts that have a secret, sorted. */
  list(): Promise<string[]>
}

export interface KeychainOptions {
  /** Ends a question early; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** The file of keychain-process; default: its source. */
  readonly program?: URL
}

/** Opens the keychain. Nothing is loaded or started until a question is asked. */
export function openKeychain(machine: Machine, options: KeychainOptions = {}): Keychain {
  const ask = (question: KeychainQuestion): Promise<KeychainAnswer> => run(machine, options, question)
  return {
    async get(account) {
      const value = unwrap(await ask({ do: 'get', service: SERVICE, account }))
      return typeof value === 'string' ? value : undefined
    },
    async set(account, secret) {
      unwrap(await ask({ do: 'set', service: SERVICE, account, secret }), secret)
    },
    async delete(account) {
      return unwrap(await ask({ do: 'delete', service: SERVICE, account })) === true
    },
    async list() {
      const value = unwrap(await ask({ do: 'list', service: SERVICE }))
      return Array.isArray(value) ? value.sort() : []
    },
  }
}

async function run(
  machine: Machine,
  { program = new URL('./keychain-process.ts', import.meta.url), signal }: KeychainOptions,
  question: KeychainQuestion,
): Promise<KeychainAnswer> {
  const { spawn } = await import('node:child_process')
  return new Promise((resolve, reject) => {
    const child = spawn(machine.node, [fileURLToPath(program)], {
      env: environmentFor(machine),
      stdio: ['pipe', 'pipe', 'ignore'],
      windowsHide: true,
    })
    const stop = (error: unknown): void => {
      child.kill('SIGKILL')
      // Another process that holds its pipes open must not keep this one running.
      child.stdin.destroy()
      child.stdout.destroy()
      child.unref()
      end(() => reject(error))
    }
    const abort = (): void => stop(signal?.reason)
    const timer = setTimeout(() => stop(noAnswer()), TIMEOUT_MS)
    const end = (settle: () => void): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
      settle()
    }

    let text = ''
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      text += part
    })
    child.on('error', () => end(() => reject(unavailable('its process cannot be started'))))
    child.on('close', () => {
      const answer = parsed(text)
      end(() =>
        answer === undefined ? reject(unavailable('its process ended without an answer')) : resolve(answer),
      )
    })
    // If it ended before it read the question, 'close' reports that.
    child.stdin.on('error', () => {})
    child.stdin.end(JSON.stringify(question))

    if (signal?.aborted === true) abort()
    else signal?.addEventListener('abort', abort)
  })
}

/** The environment of the keychain process, without our variables: it needs none of our secrets. */
function environmentFor(machine: Machine): Record<string, string> {
  const kept = Object.entries(machine.env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !entry[0].startsWith('BANKAPI_') && !entry[0].startsWith('NODE_'),
  )
  return Object.fromEntries(kept)
}

function parsed(text: string): KeychainAnswer | undefined {
  try {
    return JSON.parse(text) as KeychainAnswer
  } catch {
    return undefined
  }
}

function unwrap(answer: KeychainAnswer, secret?: string): string | boolean | string[] | null {
  if (answer.ok) return answer.value
  // In case the library repeats the secret in its message.
  const reason = secret === undefined ? answer.reason : answer.reason.replaceAll(secret, '…')
  if (/locked|prompt was dismissed/i.test(reason)) {
    throw new KeychainError('locked', 'The keychain of this machine is locked, and nobody unlocked it.')
  }
  throw unavailable(reason)
}

function noAnswer(): KeychainError {
  return new KeychainError(
    'timeout',
    `The keychain of this machine did not answer in ${TIMEOUT_MS / 1000} seconds.`,
  )
}

function unavailable(reason: string): KeychainError {
  const plain = reason.replaceAll(/\p{Cc}+/gu, ' ').slice(0, 300)
  return new KeychainError('unavailable', `The keychain of this machine cannot be used: ${plain}`)
}
