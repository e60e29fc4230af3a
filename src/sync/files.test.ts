import { createHash } from 'node:crypto'
import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { openedMirror, synced } from '../../test/support/mirrors.ts'
import { type Emulator, startEmulator } from '../emulator.ts'
import type { Mirror } from './mirror/mirror.ts'

const downloads = 'GET /**/download'

let emulator: Emulator
let mirror: Mirror
let folder: string

beforeEach(async () => {
  emulator = await startEmulator()
  folder = mkdtempSync(join(tmpdir(), 'bankapi-files-'))
  mirror = await openedMirror(join(folder, 'mirror.sqlite'))
  onTestFinished(async () => {
    await emulator.stop()
    rmSync(folder, { recursive: true, force: true })
  })
})

const run = () => synced(mirror, emulator, { files: join(folder, 'files') })
const onDisk = () => globSync('files/**/*.*', { cwd: folder }).sort()

/** Every file that the mirror says is there is, whole; and there is no other. */
async function agreed(): Promise<number> {
  const rows = await mirror.db.selectFrom('files').selectAll().execute()
  expect(onDisk()).toEqual(rows.map(({ path }) => join('files', path ?? '')).sort())
  for (const { path, bytes, sha256 } of rows) {
    const content = readFileSync(join(folder, 'files', path ?? ''))
    expect([content.length, createHash('sha256').update(content).digest('hex')]).toEqual([bytes, sha256])
  }
  return rows.length
}

test('a download that is cut leaves nothing, and the next run has the file', async () => {
  emulator.faults.add({ pattern: 'GET /statements/stmt_FDE_12304-*/download', truncate: true })
  expect(await run()).toMatchObject({ outcome: 'failed' })
  expect(onDisk().filter((path) => path.includes('stmt_FDE_12304'))).toEqual([])
  emulator.faults.clear()
  expect(await run()).toMatchObject({ outcome: 'complete' })
  const { statements, checks } = Object.fromEntries(
    await Promise.all(
      (['statements', 'checks'] as const).map(
        async (kind) => [kind, (await mirror.db.selectFrom(kind).select('id').execute()).length] as const,
      ),
    ),
  )
  expect(await agreed()).toBe(Number(statements) + Number(checks))
  expect(statSync(join(folder, onDisk()[0] ?? '')).mode & 0o077).toBe(0)
})

test('what is there is not downloaded again; what was removed or cut is', async () => {
  await run()
  let asked = 0
  const meanwhile = () => {
    asked += 1
  }
  emulator.faults.add({ pattern: downloads, meanwhile })
  await run()
  expect(asked).toBe(0)
  const [removed = '', cut = ''] = onDisk()
  rmSync(join(folder, removed))
  truncateSync(join(folder, cut), 10)
  await run()
  expect(asked).toBe(2)
  await agreed()
})

test('what a killed run left half-written is removed', async () => {
  await run()
  const [file = ''] = onDisk()
  writeFileSync(join(folder, `${file}.0b5c.tmp`), 'half')
  await run()
  await agreed()
})

test('one file that cannot be had keeps no other away', async () => {
  emulator.faults.add({ pattern: 'GET /statements/stmt_FDE_12304-*/download', status: 500 })
  expect(await run()).toMatchObject({ outcome: 'failed', failed: [{ subject: 'acc_FDE_12304' }] })
  const before = await agreed()
  expect(before).toBeGreaterThan(100)
  emulator.faults.clear()
  await run()
  expect(await agreed()).toBeGreaterThan(before)
})

test('a folder that cannot be used is refused before the run', async () => {
  writeFileSync(join(folder, 'files'), 'a file')
  await expect(run()).rejects.toMatchObject({ code: 'files_not_writable', exit: 'usage' })
  expect(await mirror.db.selectFrom('runs').selectAll().execute()).toEqual([])
})

test('what the disk refuses is said with a code', async () => {
  mkdirSync(join(folder, 'files'))
  writeFileSync(join(folder, 'files', 'statements'), 'a file')
  const { outcome, failed } = await run()
  expect(outcome).toBe('failed')
  expect(new Set(failed.map(({ code }) => code))).toEqual(new Set(['files_not_writable']))
  expect(failed[0]?.message).toMatch(/cannot be written \((ENOTDIR|EEXIST)\)/)
})
