/** Private folders, and the error for files and folders that are not safe to use. */
import { chmodSync, lstatSync, mkdirSync, type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { BankapiError } from '../errors.ts'
import type { Machine } from './machine.ts'

/** A file or folder of ours that is not safe to use, cannot be written or is locked by another process (exit 2). */
export class FileError extends BankapiError {
  override readonly name = 'FileError'

  constructor(
    code: 'unsafe_file' | 'unsafe_folder' | 'not_writable' | 'settings_busy',
    sentence: string,
    hint: string,
  ) {
    super(sentence, { code, exit: 'usage', hint })
  }
}

/**
 * Makes sure a folder is there and that only its owner can put files into it. What is created, parents too, is 0700
 * under any umask; what is there already keeps its mode.
 *
 * Throws FileError `unsafe_folder` when the folder, or a link standing in its place, belongs to another user, or
 * when others may write to it; `not_writable` when it cannot be created.
 */
export function ensurePrivateFolder(machine: Machine, folder: string): void {
  create(folder)
  checkPrivateFolder(machine, folder)
}

function create(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false }) !== undefined) return
  const parent = dirname(folder)
  if (parent !== folder) create(parent)
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // Another process created it, or it is a dangling link, which the check below refuses.
    if (code === 'EEXIST') return
    throw new FileError(
      'not_writable',
      `The folder ${folder} cannot be created (${code}).`,
      'Make its parent writable, or choose another place with BANKAPI_CONFIG_DIR and BANKAPI_DATA_DIR.',
    )
  }
  // The umask may have removed even the owner's bits.
  chmodSync(folder, 0o700)
}

/** Throws FileError `unsafe_folder` as ensurePrivateFolder does, for a folder that is there. */
export function checkPrivateFolder(machine: Machine, folder: string): void {
  const itself = lstatSync(folder)
  if (itself.isSymbolicLink() && !isTrusted(machine, itself)) {
    throw unsafe(
      folder,
      'is a link that another user made',
      `Look where it leads, then remove it: ls -ld '${folder}'`,
    )
  }
  const target = statSync(folder, { throwIfNoEntry: false })
  if (target === undefined || !target.isDirectory()) {
    throw unsafe(folder, 'is not a folder', `Move it away: mv '${folder}' '${folder}.old'`)
  }
  if (!isTrusted(machine, target)) {
    throw unsafe(
      folder,
      'belongs to another user',
      'Choose another place with BANKAPI_CONFIG_DIR and BANKAPI_DATA_DIR.',
    )
  }
  if (machine.uid !== undefined && (target.mode & 0o022) !== 0) {
    throw unsafe(folder, 'can be written by other users', `Close it: chmod 700 '${folder}'`)
  }
}

/** Whether a file or folder belongs to the user or to the administrator. */
export function isTrusted(machine: Machine, stats: Stats): boolean {
  return machine.uid === undefined || stats.uid === machine.uid || stats.uid === 0
}

function unsafe(folder: string, what: string, hint: string): FileError {
  return new FileError(
    'unsafe_folder',
    `The folder ${folder} ${what}; nothing is kept there, and nothing in it is used.`,
    hint,
  )
}
