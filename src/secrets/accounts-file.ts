/** Keeps one text for each account in a file that only its owner can read. */
import { dirname, join } from 'node:path'
import * as z from 'zod'
import { moveAside } from '../config/settings-file.ts'
import { withFolderLock } from '../machine/folder-lock.ts'
import type { Machine } from '../machine/machine.ts'
import { configDir } from '../machine/paths.ts'
import { readPrivateFile, removePrivateFile, writePrivateFile } from '../machine/private-file.ts'
import { CredentialError } from './errors.ts'

/** Account -> text. A function, so that the schema is made only when a file is read. */
const Content = () => z.record(z.string(), z.string())
type Content = Record<string, string>

/**
 * A JSON file in the config folder, 0600.
 *
 * Reading throws FileError `unsafe_file` when other users can read the file, and CredentialError `unreadable` when
 * it is damaged. Writing throws FileError `not_writable`, `unsafe_folder` or `settings_busy`.
 */
export interface AccountsFile {
  readonly path: string
  /** The text of an account; undefined when there is none. */
  get(account: string): string | undefined
  /** Stores a text. A damaged file is kept as `<name>.corrupt-<time>` and reported through `onWarning`. */
  set(account: string, text: string): Promise<void>
  /** Removes a text, and the file with its last one. Returns whether there was one. */
  delete(account: string): Promise<boolean>
  /** The accounts that have a text, sorted. */
  list(): string[]
}

export interface AccountsFileOptions {
  /** `credentials.json` */
  readonly name: string
  /** What to do about a damaged file at this path. */
  readonly repair: (path: string) => string
  readonly onWarning: (warning: string) => void
}

/** Opens the file. Every call reads it anew. */
export function openAccountsFile(machine: Machine, options: AccountsFileOptions): AccountsFile {
  const path = join(configDir(machine), options.name)
  const read = (): Content => {
    const content = readContent(machine, path)
    if (content !== 'corrupt') return content
    throw new CredentialError('unreadable', `The file ${path} is damaged.`, options.repair(path))
  }
  return {
    path,
    get(account) {
      const content = read()
      return Object.hasOwn(content, account) ? content[account] : undefined
    },
    set: (account, text) =>
      withFolderLock(machine, dirname(path), () => {
        const content = readContent(machine, path)
        if (content === 'corrupt') {
          options.onWarning(`${path} was damaged and is kept as ${moveAside(machine, path)}.`)
        }
        write(machine, path, { ...(content === 'corrupt' ? {} : content), [account]: text })
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
