/** Creates and checks a database file that only its owner may read. */
import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  lstatSync,
  mkdirSync,
  openSync,
  type Stats,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'
import type { BankapiError } from '../errors.ts'

/** Whose file it is, for the errors. */
export interface DatabaseOwner {
  /** `inbox` */
  readonly name: string
  /** How to choose another place: `choose another place with BANKAPI_DATA_DIR`. */
  readonly elsewhere: string
  readonly error: (
    code: 'unsafe_file' | 'not_writable',
    sentence: string,
    hint: string,
    options: { readonly cause?: unknown },
  ) => BankapiError
}

/**
 * Makes sure the file exists, is a plain file of the user and 0600 under any umask; SQLite gives its -wal and -shm files
 * the same mode. A missing folder is created as 0700. Returns whether it made the file. Throws the owner's error: `unsafe_file` for a link, for anything but a
 * plain file and for another user's file, `not_writable` when the disk refuses.
 */
export function ensurePrivateDatabaseFile(path: string, owner: DatabaseOwner): boolean {
  let made: boolean
  try {
    createFolder(dirname(path))
    made = create(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw owner.error(
      'not_writable',
      `The ${owner.name} ${path} cannot be created (${code}).`,
      `Make room or make the folder writable, or ${owner.elsewhere}.`,
      { cause: error },
    )
  }
  for (const file of [path, `${path}-wal`, `${path}-shm`]) check(file, owner)
  return made
}

function createFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false }) !== undefined) return
  createFolder(dirname(folder))
  try {
    mkdirSync(folder)
    // mkdir's own mode is narrowed by the umask, which may take even the owner's bits away.
    chmodSync(folder, 0o700)
  } catch (error) {
    // Another process was quicker.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

function create(path: string): boolean {
  try {
    const descriptor = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600)
    try {
      // The umask may have taken the owner's own bits away.
      fchmodSync(descriptor, 0o600)
    } finally {
      closeSync(descriptor)
    }
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  }
}

function check(file: string, owner: DatabaseOwner): void {
  const stats = lstatSync(file, { throwIfNoEntry: false })
  if (stats === undefined) return
  const problem = problemWith(stats)
  if (problem !== undefined) {
    throw owner.error(
      'unsafe_file',
      `${file} ${problem}; the ${owner.name} is not kept there.`,
      `Look at it: ls -l '${file}'. Move it away, or ${owner.elsewhere}.`,
      {},
    )
  }
  if (process.platform !== 'win32' && (stats.mode & 0o077) !== 0) chmodSync(file, 0o600)
}

function problemWith(stats: Stats): string | undefined {
  if (stats.isSymbolicLink()) return 'is a link'
  if (!stats.isFile()) return 'is not a plain file'
  const user = process.getuid?.()
  if (user !== undefined && user !== 0 && stats.uid !== user) return 'belongs to another user'
  return undefined
}
