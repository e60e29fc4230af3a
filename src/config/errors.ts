/**
 * What can go wrong before a request is sent: settings, addresses, credentials.
 *
 * Every error has a stable `code`, a `message` (what happened and why) and a `hint` (what to run next).
 * Neither ever holds a secret. The cli maps them to exit codes by class and code, never by their text:
 *
 * | class           | code                   | exit |
 * |-----------------|------------------------|------|
 * | ConfigError     | `emulator_not_running` | 11   |
 * | ConfigError     | all others             | 2    |
 * | CredentialError | `missing`, `unreadable`| 3    |
 * | CredentialError | `malformed`, `wrong_environment` | 2 |
 * | KeychainError   | all                    | 3    |
 */

export type ConfigErrorCode =
  | 'unknown_environment'
  | 'base_url_missing'
  | 'base_url_invalid'
  | 'emulator_not_running'
  | 'unknown_setting'
  | 'invalid_setting'
  | 'settings_busy'
  | 'unsafe_file'
  | 'unsafe_folder'
  | 'not_writable'

export type CredentialErrorCode = 'missing' | 'malformed' | 'wrong_environment' | 'unreadable'

export type KeychainErrorCode = 'timeout' | 'locked' | 'unavailable'

/** Settings, an address, a file or a folder cannot be used as it is. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly code: ConfigErrorCode
  readonly hint: string

  constructor(code: ConfigErrorCode, message: string, hint: string) {
    super(message)
    this.code = code
    this.hint = hint
  }
}

/** There is no usable credential, or the one given does not belong to the environment. */
export class CredentialError extends Error {
  override readonly name = 'CredentialError'
  readonly code: CredentialErrorCode
  readonly hint: string

  constructor(code: CredentialErrorCode, message: string, hint: string) {
    super(message)
    this.code = code
    this.hint = hint
  }
}

/** The operating system's keychain did not do what was asked; the hint names the two other ways. */
export class KeychainError extends Error {
  override readonly name = 'KeychainError'
  readonly code: KeychainErrorCode
  readonly hint: string

  constructor(code: KeychainErrorCode, message: string) {
    super(message)
    this.code = code
    this.hint =
      'Without a keychain: put the key in BANKAPI_API_KEY (a portal secret in BANKAPI_PORTAL_SECRET, a signing secret in ' +
      'BANKAPI_WEBHOOK_SECRET), or keep it in a file that only you can read: ' +
      'bankapi login --insecure-storage'
  }
}
