/** Reads and writes files that only their owner may change. */
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import type { Machine } from './machine.ts'
import { checkPrivateFolder, ensurePrivateFolder, FileError, isTrusted } from './private-folder.ts'

/** Settings and credentials are a few kilobytes; a larger file is not ours. */
const MAX_BYTES = 1024 * 1024

// Windows has neither flag; there a link is detected before opening.
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0
const NO_BLOCK = constants.O_NONBLOCK ?? 0

/**
 * Reads a file that only its owner may change. Returns its text, or undefined when there is none.
 *
 * With `secret`, it is refused as well when others could read it, as ssh refuses a private key.
 * Throws FileError `unsafe_file` for a link, for anything but a plain file, for one that belongs to or can be written by
 * others, and for one that cannot be read; `unsafe_folder` as ensurePrivateFolder does: whoever can write to the folder can
 * put another file in the place of this one.
 */
export function readPrivateFile(
  machine: Machine,
  path: string,
  { secret = false }: { secret?: boolean } = {},
): string | undefined {
  const descriptor = openForReading(path)
  if (descriptor === undefined) return undefined
  try {
    checkPrivateFolder(machine, dirname(path))
    check(machine, path, descriptor, secret)
    return readFileSync(descriptor, 'utf8')
  } finally {
    closeSync(descriptor)
  }
}

function openForReading(path: string): number | undefined {
  try {
    if (NO_FOLLOW === 0 && lstatSync(path).isSymbolicLink()) throw link(path)
    // Without O_NONBLOCK, a named pipe put in the file's place would hang the open.
    return openSync(path, constants.O_RDONLY | NO_FOLLOW | NO_BLOCK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    if (code === 'ELOOP' || code === 'EMLINK') throw link(path)
    if (error instanceof FileError) throw error
    throw unsafe(path, `cannot be read (${code})`, `Look at it: ls -l '${path}'`)
  }
}

function check(machine: Machine, path: string, descriptor: number, secret: boolean): void {
  const stats = fstatSync(descriptor)
  if (!stats.isFile()) throw unsafe(path, 'is not a plain file', `Move it away: mv '${path}' '${path}.old'`)
  if (stats.size > MAX_BYTES) {
    throw unsafe(path, 'is larger than 1 MiB', `Move it away: mv '${path}' '${path}.old'`)
  }
  if (machine.uid === undefined) return
  if (!isTrusted(machine, stats)) throw unsafe(path, 'belongs to another user', `Look at it: ls -l '${path}'`)

  const open = stats.mode & 0o777
  if (secret && (open & 0o077) !== 0) {
    throw unsafe(
      path,
      `holds secrets and is open to other users (${open.toString(8).padStart(4, '0')})`,
      `Whoever uses this machine may have read it: consider new keys. Then close it: chmod 600 '${path}'`,
    )
  }
  if ((open & 0o022) !== 0) {
    throw unsafe(
      path,
      'can be written by other users',
      `Check what it says, then close it: chmod 600 '${path}'`,
    )
  }
}

/**
 * Writes a 0600 file atomically: a new file beside it is flushed to the disk, then renamed over it. The folder is created (0700) when it is missing. A link in
 * the file's place is replaced by the file, never followed. `flushed: false` is for what may be lost when the power fails.
 *
 * Throws FileError `unsafe_folder` as ensurePrivateFolder does, `not_writable` when the disk refuses.
 */
export function writePrivateFile(
  machine: Machine,
  path: string,
  text: string,
  { flushed = true }: { readonly flushed?: boolean } = {},
): void {
  ensurePrivateFolder(machine, dirname(path))
  try {
    replaceFile(path, text, flushed)
  } catch (error) {
    throw notWritable(path, error)
  }
}

/** As writePrivateFile, in a folder that others may read. Throws the error of the system. */
export function replaceFile(path: string, content: string | Uint8Array, flushed = true): void {
  const fresh = freshBeside(path)
  try {
    writeFresh(fresh, content, flushed)
    renameSync(fresh, path)
  } catch (error) {
    rmSync(fresh, { force: true })
    throw error
  }
  if (flushed) flushFolder(dirname(path))
}

/** Checks that replaceFile can write beside the path, and leaves nothing there. Throws the error of the system. */
export function assertReplaceable(path: string): void {
  const fresh = freshBeside(path)
  try {
    writeFresh(fresh, '', false)
  } finally {
    rmSync(fresh, { force: true })
  }
}

function freshBeside(path: string): string {
  return `${path}.${crypto.randomUUID()}.tmp`
}

function writeFresh(path: string, content: string | Uint8Array, flushed: boolean): void {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW
  const descriptor = openSync(path, flags, 0o600)
  try {
    // The umask may have removed even the owner's bits.
    fchmodSync(descriptor, 0o600)
    writeFileSync(descriptor, content)
    if (flushed) fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Flushes a folder, so that a rename in it survives a crash. A file system that cannot do it is no failure. */
function flushFolder(folder: string): void {
  try {
    const descriptor = openSync(folder, constants.O_RDONLY)
    try {
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
  } catch {
    // Windows, and some network file systems.
  }
}

/** Removes a file, or the link in its place. Returns whether there was one. Throws FileError `not_writable`. */
export function removePrivateFile(path: string): boolean {
  try {
    rmSync(path)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return false
    throw notWritable(path, error)
  }
}

function link(path: string): FileError {
  return unsafe(
    path,
    'is a link',
    'Put the file itself in its place, or set BANKAPI_CONFIG_DIR to the folder it is in.',
  )
}

function unsafe(path: string, what: string, hint: string): FileError {
  return new FileError('unsafe_file', `${path} ${what}; it is not used.`, hint)
}

function notWritable(path: string, error: unknown): FileError {
  const { code } = error as NodeJS.ErrnoException
  const why = code === 'ENOSPC' || code === 'EDQUOT' ? 'the disk is full' : (code ?? 'unknown reason')
  return new FileError(
    'not_writable',
    `${path} cannot be written (${why}). What was there before is unchanged.`,
    'Make room or make the folder writable, or choose another place with BANKAPI_CONFIG_DIR and BANKAPI_DATA_DIR.',
  )
}
