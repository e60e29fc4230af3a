/** Errors about credentials and the keychain. No message holds a secret. */
import { BankapiError } from '../errors.ts'

export type CredentialErrorCode =
  | 'missing'
  | 'malformed'
  | 'wrong_environment'
  | 'other_address'
  | 'shared_address'
  | 'unreadable'

/** There is no usable credential (exit 3), or it does not belong to the environment or the address (exit 2). */
export class CredentialError extends BankapiError {
  override readonly name = 'CredentialError'

  constructor(code: CredentialErrorCode, sentence: string, hint: string) {
    const exit = code === 'missing' || code === 'unreadable' ? 'notAuthenticated' : 'usage'
    super(sentence, { code, exit, hint })
  }
}

export type KeychainErrorCode = 'timeout' | 'locked' | 'unavailable'

/** The operating system's keychain did not do what was asked (exit 3); the hint names the two other ways. */
export class KeychainError extends BankapiError {
  override readonly name = 'KeychainError'

  constructor(code: KeychainErrorCode, sentence: string) {
    super(sentence, { code, exit: 'notAuthenticated', hint: keychainHint })
  }
}

const keychainHint =
  'Without a keychain: put the key in BANKAPI_API_KEY (a portal secret in BANKAPI_PORTAL_SECRET, a signing secret in ' +
  'BANKAPI_WEBHOOK_SECRET), or keep it in a file that only you can read: ' +
  'bankapi login --insecure-storage'
