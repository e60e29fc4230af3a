/** Creates and checks the database file of the inbox, which only its owner may read. */
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
import { InboxError } from './inbox-error.ts'

/**
 * Makes sure the file exists, is a plain file of the user and 0600 under any umask; SQLite gives its -wal and -shm files
 * the same mode. A missing folder is created as 0700. Throws InboxError `unsafe_file` for a link, for
 * anything but a plain file and for another user's file, `not_writable` when the disk refuses.
 */
export function ensurePrivateDatabaseFile(path: string): void {
  try {
    createFolder(dirname(path))
    create(path)
  } catch (error) {
    if (error instanceof InboxError) throw error
    const { code } = error as NodeJS.ErrnoException
    throw new InboxError(
      'not_writable',
      `The inbox ${path} cannot be created (${code}).`,
      'Make room or make the folder writable, or choose another place with BANKAPI_DATA_DIR.',
      { cause: error },
    )
  }
  for (const file of [path, `${path}-wal`, `${path}-shm`]) check(file)
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

function create(path: string): void {
  try {
    const descriptor = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600)
    try {
      // The umask may have taken the owner's own bits away.
      fchmodSync(descriptor, 0o600)
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

function check(file: string): void {
  const stats = lstatSync(file, { throwIfNoEntry: false })
  if (stats === undefined) return
  const problem = problemWith(stats)
  if (problem !== undefined) {
    throw new InboxError(
      'unsafe_file',
      `${file} ${problem}; the inbox is not kept there.`,
      `Look at it: ls -l '${file}'. Move it away, or choose another place with BANKAPI_DATA_DIR.`,
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
