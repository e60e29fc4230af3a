/**
 * Downloads the PDFs of statements and the images of checks (`--files`). A file is complete or absent: it is written beside its
 * place, flushed to the disk, and moved there; and one that is there is never downloaded again.
 */
import { createHash, randomUUID } from 'node:crypto'
import { glob, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ApiResponseError, UnreadableResponseError } from '../api/errors.ts'
import type { Download } from '../contract/values.ts'
import { BankapiError, type ExitName } from '../errors.ts'
import type { Mirror } from './mirror/mirror.ts'
import { inParallel } from './parallel.ts'
import type { Owner } from './rows.ts'
import { type RunContext, timestamp } from './run-context.ts'
import { ClientForgottenError, isForgotten } from './streams.ts'

export type FileKind = 'statements' | 'checks'

const extensions: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/tiff': 'tif',
}

/** Downloads what an account's mirror has no file of yet. Rejects with the service's error, or that of the disk. */
export async function downloadFiles(
  context: RunContext,
  kind: FileKind,
  { account_id, client_id }: Owner,
  folder: string,
): Promise<void> {
  const { mirror, reader } = context
  const listed = await mirror.db
    .selectFrom(kind)
    .select('id')
    .where('account_id', '=', account_id)
    .where('gone_at', 'is', null)
    .where('download_url', 'is not', null)
    .execute()
  const fetched = await mirror.db
    .selectFrom('files')
    .select(['id', 'path', 'bytes'])
    .where('kind', '=', kind)
    .where('account_id', '=', account_id)
    .execute()
  const there = new Set<string>()
  for (const { id, path, bytes } of fetched) {
    const found = await stat(join(folder, path ?? '')).catch(() => undefined)
    if (found?.size === bytes) there.add(id)
  }
  // Of an earlier run that was killed. Only one process reads an account's files at a time.
  const place = join(folder, kind, ...[client_id, account_id].map(fileName))
  for await (const unfinished of glob('*.tmp', { cwd: place }))
    await rm(join(place, unfinished), { force: true })
  const failures: unknown[] = []
  await inParallel(
    listed.filter(({ id }) => !there.has(id)),
    async ({ id }) => {
      try {
        const file = await reader.call(async (options) => {
          const { checks, statements } = reader.api
          const download =
            kind === 'statements'
              ? await statements.download({ statement_id: id, client_id }, options)
              : await checks.download({ account_id, check_id: id, client_id }, options)
          return save(download, folder, join(kind, ...[client_id, account_id, id].map(fileName)))
        })
        await mirror.transaction(async (db) => {
          if (await isForgotten(mirror, db, client_id)) {
            await rm(join(folder, file.path), { force: true })
            throw new ClientForgottenError(client_id)
          }
          await mirror.put(db, 'files', [
            { kind, account_id, id, client_id, ...file, fetched_at: timestamp(context) },
          ])
        })
      } catch (error) {
        if (!isOfOneFile(error)) throw error
        failures.push(error)
      }
    },
  )
  if (failures.length > 0) throw failures[0]
}

/** Whether a failure says nothing of the other files. */
function isOfOneFile(error: unknown): boolean {
  if (error instanceof ApiResponseError) return error.httpStatus === 404 || error.httpStatus >= 500
  return error instanceof UnreadableResponseError
}

/** Makes the folder of `--files`, and tries it. @throws BankapiError `files_not_writable`, before anything is read. */
export async function prepareFolder(folder: string): Promise<void> {
  const trial = join(folder, `${randomUUID()}.tmp`)
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await (await open(trial, 'wx', 0o600)).close()
    await rm(trial, { force: true })
  } catch (error) {
    throw notWritable(folder, error, 'usage')
  }
}

function notWritable(path: string, cause: unknown, exit: ExitName): BankapiError {
  const { code = 'unknown' } = cause as NodeJS.ErrnoException
  const why = code === 'ENOSPC' ? 'the disk is full, ENOSPC' : code
  return new BankapiError(`${path} cannot be written (${why})`, {
    code: 'files_not_writable',
    exit,
    hint: 'Make room, or name another folder: --files',
    cause,
  })
}

/** Whether it is of the file system, and not of the service. */
function isOfDisk(error: unknown): boolean {
  return (
    (error instanceof Error && 'syscall' in error && 'path' in error) ||
    /^(ENOSPC|EDQUOT|EIO|EROFS)$/.test(String((error as NodeJS.ErrnoException).code))
  )
}

/** The first file of a Client that the mirror knows and this folder does not have. */
export async function missingFile(
  { db }: Pick<Mirror, 'db'>,
  clientId: string,
  folder: string,
): Promise<string | undefined> {
  const rows = await db
    .selectFrom('files')
    .select('path')
    .where('client_id', '=', clientId)
    .orderBy('path')
    .execute()
  for (const { path } of rows) {
    const whole = join(folder, path ?? '')
    const found = await stat(whole).catch(() => undefined)
    if (found?.isFile() !== true) return whole
  }
  return undefined
}

/** Deletes every file of a Client below the folder of `--files`, and returns how many there were. */
export async function eraseFiles(folder: string, clientId: string): Promise<number> {
  let erased = 0
  for (const kind of ['statements', 'checks'] satisfies FileKind[]) {
    const place = join(folder, kind, fileName(clientId))
    const found = await readdir(place, { recursive: true, withFileTypes: true }).catch(() => [])
    erased += found.filter((entry) => entry.isFile()).length
    await rm(place, { recursive: true, force: true })
  }
  return erased
}

interface Saved {
  readonly path: string
  readonly content_type: string
  readonly bytes: number
  readonly sha256: string
}

async function save(download: Download, folder: string, name: string): Promise<Saved> {
  const [type = ''] = download.contentType.split(';')
  const path = `${name}.${extensions[type.trim().toLowerCase()] ?? 'bin'}`
  const target = join(folder, path)
  try {
    return await write(download, path, target)
  } catch (error) {
    throw isOfDisk(error) ? notWritable(target, error, 'operationFailed') : error
  }
}

async function write(download: Download, path: string, target: string): Promise<Saved> {
  await mkdir(dirname(target), { recursive: true, mode: 0o700 })
  const unfinished = `${target}.${randomUUID()}.tmp`
  const hash = createHash('sha256')
  let bytes = 0
  try {
    const handle = await open(unfinished, 'wx', 0o600)
    try {
      for await (const chunk of download.body) {
        hash.update(chunk)
        bytes += chunk.length
        await handle.writeFile(chunk)
      }
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(unfinished, target)
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  }
  return { path, content_type: download.contentType, bytes, sha256: hash.digest('hex') }
}

/** An id as a name of a file: the service chooses ids, and none of them may lead out of the folder. */
function fileName(id: string): string {
  const safe = id.replaceAll(/[^A-Za-z0-9_-]/g, (character) => `%${character.codePointAt(0)?.toString(16)}`)
  return safe.slice(0, 200)
}
