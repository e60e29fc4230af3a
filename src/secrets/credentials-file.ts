/** Keeps secrets in a file, for users who chose that over the keychain. */
import { dirname, join } from 'node:path'
import * as z from 'zod'
import type { EnvironmentName } from '../config/environments.ts'
import { moveAside } from '../config/settings-file.ts'
import { withFolderLock } from '../machine/folder-lock.ts'
import type { Machine } from '../machine/machine.ts'
import { configDir } from '../machine/paths.ts'
import { readPrivateFile, removePrivateFile, writePrivateFile } from '../machine/private-file.ts'
import { CredentialError } from './errors.ts'

/** Keychain account -> secret. A function, so that the schema is made only when a file is read. */
const Content = () => z.record(z.string(), z.string())
type Content = Record<string, string>

/**
 * The credentials file: credentials.json in the config folder, 0600, plain text. It exists only when the user asked
 * for it (`bankapi login --insecure-storage`), and then replaces the keychain for that environment.
 *
 * Reading throws FileError `unsafe_file` when other users can read the file, and CredentialError `unreadable` when
 * it is damaged. Writing throws FileError `not_writable`, `unsafe_folder` or `settings_busy`.
 */
export interface CredentialsFile {
  readonly path: string
  /** Whether the user chose the file for this environment: it holds something for it. */
  isChosen(environment: EnvironmentName): boolean
  /** The secret of an account; undefined when there is none. */
  get(account: string): string | undefined
  /** Stores a secret. A damaged file is kept as `credentials.json.corrupt-<time>` and reported through `onWarning`. */
  set(account: string, secret: string): Promise<void>
  /** Removes a secret, and the file with its last one. Returns whether there was one. */
  delete(account: string): Promise<boolean>
  /** The accounts that have a secret, sorted. */
  list(): string[]
}

/** Opens the credentials file. Every call reads it anew. */
export function openCredentialsFile(machine: Machine, onWarning: (warning: string) => void): CredentialsFile {
  const path = join(configDir(machine), 'credentials.json')
  const read = (): Content => {
    const content = readContent(machine, path)
    if (content === 'corrupt') throw damaged(path)
    return content
  }
  return {
    path,
    isChosen: (environment) => Object.keys(read()).some((account) => account.startsWith(`${environment}/`)),
    get(account) {
      const content = read()
      return Object.hasOwn(content, account) ? content[account] : undefined
    },
    set: (account, secret) =>
      withFolderLock(machine, dirname(path), () => {
        const content = readContent(machine, path)
        if (content === 'corrupt') {
          onWarning(`${path} was damaged and is kept as ${moveAside(machine, path)}.`)
        }
        write(machine, path, { ...(content === 'corrupt' ? {} : content), [account]: secret })
      }),
    async delete(account) {
      // Most users have no such file; removing a key must not create its folder.
      if (!Object.hasOwn(read(), account)) return false
      return withFolderLock(machine, dirname(path), () => {
        const { [account]: removed, ...others } = read()
        if (removed === undefined) return false
        if (Object.keys(others).length === 0) removePrivateFile(path)
        else write(machine, path, others)
        return true
      })
    },
    list: () => Object.keys(read()).sort(),
  }
}

function readContent(machine: Machine, path: string): Content | 'corrupt' {
  const text = readPrivateFile(machine, path, { secret: true })
  if (text === undefined) return {}
  try {
    const content = Content().safeParse(JSON.parse(text))
    return content.success ? content.data : 'corrupt'
  } catch {
    return 'corrupt'
  }
}

function write(machine: Machine, path: string, content: Content): void {
  writePrivateFile(machine, path, `${JSON.stringify(content, null, 2)}\n`)
}

function damaged(path: string): CredentialError {
  return new CredentialError(
    'unreadable',
    `The credentials file ${path} is damaged.`,
    'Store the key again: bankapi login --insecure-storage (the damaged file is kept aside). ' +
      `Or do without the file: mv '${path}' '${path}.old'`,
  )
}
