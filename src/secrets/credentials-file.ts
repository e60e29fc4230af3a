/** Keeps secrets in a file, for users who chose that over the keychain. */
import type { EnvironmentName } from '../config/environments.ts'
import type { Machine } from '../machine/machine.ts'
import { type AccountsFile, openAccountsFile } from './accounts-file.ts'

/**
 * The credentials file: credentials.json in the config folder, 0600, plain text. It exists only when the user asked
 * for it (`bankapi login --insecure-storage`), and then replaces the keychain for that environment.
 */
export interface CredentialsFile extends AccountsFile {
  /** Whether the user chose the file for this environment: it holds something for it. */
  isChosen(environment: EnvironmentName): boolean
}

/** Opens the credentials file. Every call reads it anew. */
export function openCredentialsFile(machine: Machine, onWarning: (warning: string) => void): CredentialsFile {
  const file = openAccountsFile(machine, {
    name: 'credentials.json',
    repair: (path) =>
      'Store the key again: bankapi login --insecure-storage (the damaged file is kept aside). ' +
      `Or do without the file: mv '${path}' '${path}.old'`,
    onWarning,
  })
  return {
    ...file,
    isChosen: (environment) => file.list().some((account) => account.startsWith(`${environment}/`)),
  }
}
