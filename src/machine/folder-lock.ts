/** Locks a folder between processes while files in it are changed. */
import { closeSync, constants, fchmodSync, openSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Machine } from './machine.ts'
import { ensurePrivateFolder, FileError } from './private-folder.ts'

/** How long to wait for another process, whose change takes a few milliseconds. */
const TIMEOUT_MS = 5000

/** The name of a temporary file of writePrivateFile. */
const UNFINISHED = /\.[0-9a-f]{12}\.tmp$/

/**
 * Runs a change to files in a folder while no other process runs one, and returns what it returns.
 *
 * The lock is an exclusive transaction on an empty SQLite file: the operating system holds it and drops it when the
 * process ends, however it ends, so there is no stale lock.
 *
 * Throws FileError `settings_busy` after 5 s, `unsafe_folder` and `not_writable` as ensurePrivateFolder does.
 */
export async function withFolderLock<T>(machine: Machine, folder: string, change: () => T): Promise<T> {
  ensurePrivateFolder(machine, folder)
  const path = join(folder, '.lock')
  createLockFile(path)
  // Loaded here: reading settings, which every command does, needs no lock.
  const { DatabaseSync } = await import('node:sqlite')
  const lock = new DatabaseSync(path, { timeout: TIMEOUT_MS })
  try {
    acquire(() => lock.exec('BEGIN EXCLUSIVE'), path)
    removeUnfinished(folder)
    return change()
  } finally {
    lock.close()
  }
}

/** SQLite would create it under the umask, and would follow a link. */
function createLockFile(path: string): void {
  try {
    const flags = constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0)
    const descriptor = openSync(path, flags, 0o600)
    fchmodSync(descriptor, 0o600)
    closeSync(descriptor)
  } catch (error) {
    throw notLockable(path, error)
  }
}

function acquire(begin: () => void, path: string): void {
  try {
    begin()
  } catch (error) {
    // SQLITE_BUSY
    if ((error as { errcode?: number }).errcode !== 5) throw notLockable(path, error)
    throw new FileError(
      'settings_busy',
      `Another bankapi has been changing files beside ${path} for ${TIMEOUT_MS / 1000} seconds. Nothing was changed.`,
      'Wait for it to end, or stop it, and try again.',
    )
  }
}

/** Removes temporary files of a process that was killed while it wrote; under the lock nobody else is writing one. */
function removeUnfinished(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (UNFINISHED.test(name)) rmSync(join(folder, name), { force: true })
  }
}

function notLockable(path: string, error: unknown): FileError {
  // SQLite's message, such as `database or disk is full`, says more than the code that all its errors share.
  const { code, errstr } = error as NodeJS.ErrnoException & { errstr?: string }
  return new FileError(
    'not_writable',
    `${path} cannot be locked (${errstr ?? code ?? 'unknown reason'}). Nothing was changed.`,
    'Make the folder writable, or choose another place with BANKAPI_CONFIG_DIR and BANKAPI_DATA_DIR.',
  )
}
