/** Checks the form of API keys, and whether a key fits its environment. */
import { isSameBase } from '../config/base-url.ts'
import type { RunningEmulator } from '../config/emulator-state.ts'
import type { EnvironmentName, Mode } from '../config/environments.ts'
import { CredentialError } from './errors.ts'

/** The mode a key acts in, as its prefix says. */
export type KeyMode = 'test' | 'live'

/**
 * The mode an environment expects of its key: that of its own mode, and for `local` live when the base URL is the running
 * emulator's live base.
 */
export function expectedMode(
  mode: Mode,
  baseUrl: string | undefined,
  emulator: RunningEmulator | undefined,
): KeyMode {
  if (mode === 'live') return 'live'
  if (mode === 'sandbox' || baseUrl === undefined || emulator === undefined) return 'test'
  return isSameBase(baseUrl, emulator.live.base_url) ? 'live' : 'test'
}

/**
 * Refuses a key that does not belong to the environment, before anything is sent. The key is never repeated.
 * Throws CredentialError `malformed` (spaces, line breaks, letters no header can carry) or `wrong_environment`.
 */
export function assertKeyFits(key: string, environment: EnvironmentName, mode: KeyMode): void {
  if (!isSendable(key)) {
    throw new CredentialError(
      'malformed',
      'The API key has spaces, line breaks or other characters in it that no key has.',
      'Copy it again, whole and on one line.',
    )
  }
  if (key.startsWith(`sk_${mode}_`)) return
  const other = key.startsWith('sk_live_') || key.startsWith('sk_test_')
  throw new CredentialError(
    'wrong_environment',
    other
      ? `The API key is a ${mode === 'test' ? 'live' : 'test'} key; ${environment} takes a ${mode} key (sk_${mode}_…). Nothing was sent.`
      : `The API key does not start with sk_${mode}_, as every key for ${environment} does. Nothing was sent.`,
    other
      ? `Choose the environment it belongs to with --env, or store a ${mode} key: bankapi login --env ${environment}`
      : 'An API key starts with sk_test_ or sk_live_. Copy it again, whole.',
  )
}

/** Whether a secret is printable ASCII without spaces, as an Authorization header requires. */
export function isSendable(secret: string): boolean {
  return /^[\x21-\x7e]+$/.test(secret)
}

/** The first characters of a key: enough to tell keys apart, and safe to display. */
export function displayedKey(key: string): string {
  return `${key.slice(0, 'sk_test_'.length + 4)}…`
}
