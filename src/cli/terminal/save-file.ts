/** Saves a download to a file: complete or not at all, and never over an existing file unless forced. */
import { randomUUID } from 'node:crypto'
import { link, lstat, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Download } from '../../contract/values.ts'
import { systemMessage, UsageError, unwritable } from '../errors/errors.ts'

export interface SaveOptions {
  /** The file to write, as the user named it; never a name from the service. */
  readonly path: string
  /** Replace an existing file. */
  readonly force: boolean
  /** Checks the type of the file by its first bytes; returns why they are wrong. */
  readonly check: (head: Uint8Array) => string | undefined
  readonly signal: AbortSignal
  /** Called as bytes arrive, with their number so far. */
  readonly onProgress?: (bytes: number) => void
}

/**
 * Writes a download to a temporary file beside its target and renames it when it is complete, so that an interrupted
 * download leaves nothing. Returns the number of bytes.
 * @throws UsageError when the target exists and `force` is off, or the content has the wrong type; BankapiError
 * when it cannot be written.
 */
export async function saveFile(download: Download, options: SaveOptions): Promise<number> {
  const target = resolve(options.path)
  const temporary = join(dirname(target), `.${basename(target)}.${randomUUID()}.part`)
  const file = await openNew(temporary, options.path)
  try {
    let bytes = 0
    try {
      for await (const chunk of checked(download.body, options.check)) {
        options.signal.throwIfAborted()
        // Not `write`, which may write a part of the chunk only.
        await file.appendFile(chunk)
        bytes += chunk.byteLength
        options.onProgress?.(bytes)
      }
      await file.sync()
    } finally {
      await file.close()
    }
    if (options.force) await rename(temporary, target)
    else await publish(temporary, target, options.path)
    return bytes
  } catch (error) {
    throw unwritable(error, options.path)
  } finally {
    await rm(temporary, { force: true })
  }
}

/** Writes a download to a stream; its type is checked before the first byte is passed on. */
export async function passOn(
  download: Download,
  stream: Writable,
  options: Pick<SaveOptions, 'check' | 'signal'>,
): Promise<void> {
  await pipeline(checked(download.body, options.check), stream, { end: false, signal: options.signal })
}

/**
 * Checks the target before anything is fetched.
 * @throws UsageError when something of that name is there; with `force`, when it is a folder, a device or the like.
 */
export async function assertFree(path: string, force: boolean): Promise<void> {
  const found = await lstat(path).catch(() => undefined)
  if (found === undefined) return
  if (!found.isFile() && !found.isSymbolicLink()) {
    throw new UsageError(`${path} is ${found.isDirectory() ? 'a folder' : 'no ordinary file'}`, {
      code: 'not_a_file',
      hint: 'Name a file with --output-file, or - for stdout',
    })
  }
  if (!force) throw exists(path)
}

/** @throws UsageError when the bytes of a file would go to a terminal. */
export function assertNoTerminal(stdout: { readonly isTTY?: boolean }): void {
  if (!stdout.isTTY) return
  throw new UsageError('A terminal cannot show this file', {
    code: 'binary_to_terminal',
    hint: 'Write it to a file, or pipe it on',
  })
}

/** Gives the file its final name, unless that exists: `link` fails where `rename` would replace. */
async function publish(temporary: string, target: string, path: string): Promise<void> {
  try {
    await link(temporary, target)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') throw exists(path)
    // A file system without hard links.
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EOPNOTSUPP') throw error
    await assertFree(path, false)
    await rename(temporary, target)
  }
}

async function openNew(temporary: string, path: string) {
  try {
    return await open(temporary, 'wx', 0o600)
  } catch (error) {
    throw new UsageError(`${path} cannot be written: ${systemMessage(error)}`, {
      code: 'not_writable',
      hint: 'Choose another place with --output-file, or - for stdout',
    })
  }
}

function exists(path: string): UsageError {
  return new UsageError(`${path} exists already`, {
    code: 'file_exists',
    hint: 'Choose another name with --output-file, or replace it with --force',
  })
}

/** The first bytes, which tell the type of a file. */
const HEAD_BYTES = 8

async function* checked(
  body: AsyncIterable<Uint8Array>,
  check: (head: Uint8Array) => string | undefined,
): AsyncGenerator<Uint8Array> {
  let head = new Uint8Array(0)
  let passed = false
  const assert = () => {
    const reason = check(head)
    if (reason !== undefined) throw new UsageError(reason, { code: 'wrong_content' })
    passed = true
  }
  for await (const chunk of body) {
    if (passed) {
      yield chunk
      continue
    }
    head = Buffer.concat([head, chunk])
    if (head.byteLength < HEAD_BYTES) continue
    assert()
    yield head
  }
  if (passed) return
  assert()
  yield head
}
