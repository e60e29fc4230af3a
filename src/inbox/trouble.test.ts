/** Writes while the disk, another process or somebody with `rm` says no. */
import { mkdtempSync, readdirSync, rmSync, statSync, unlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sampleDelivery } from '../../test/support/sample-delivery.ts'
import { type FileInbox, type OpenInbox, openInbox } from './open.ts'

const now = Date.UTC(2026, 8, 21)
let folder: string
let path: string
let inbox: FileInbox
const others: { close(): void }[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bankapi-inbox-'))
  path = join(folder, 'data', 'inbox.sqlite')
  inbox = open()
})

afterEach(() => {
  inbox.close()
  for (const other of others.splice(0)) other.close()
  rmSync(folder, { recursive: true })
})

const open = (options: Partial<OpenInbox> = {}) => openInbox({ path, now: () => now, ...options })
const store = (eventId: string, to = inbox) => to.batch(() => to.deliveries.record(sampleDelivery(eventId)))
const ids = (of = inbox) => of.deliveries.list().map(({ eventId }) => eventId)

function lock(): DatabaseSync {
  const other = new DatabaseSync(path)
  others.push(other)
  other.exec('BEGIN IMMEDIATE')
  return other
}

describe('while another process holds the lock', () => {
  test('a batch waits without blocking the event loop, and stores when the lock is free', async () => {
    const other = lock()
    const stored = Promise.all([store('evt_1'), store('evt_2')])
    const started = performance.now()
    let longest = 0
    let before = started
    const turns = setInterval(() => {
      longest = Math.max(longest, performance.now() - before)
      before = performance.now()
    }, 5)
    setTimeout(() => other.exec('COMMIT'), 300)
    await stored
    clearInterval(turns)
    expect(performance.now() - started).toBeGreaterThan(250)
    expect(longest).toBeLessThan(200)
    expect(ids()).toEqual(['evt_1', 'evt_2'])
  })

  test('a batch gives up after 2 s, and the next one is stored', { tags: ['slow'] }, async () => {
    const other = lock()
    const started = performance.now()
    await expect(store('evt_1')).rejects.toMatchObject({ name: 'InboxError', code: 'busy' })
    expect(performance.now() - started).toBeGreaterThan(1900)
    other.exec('COMMIT')
    await store('evt_2')
    expect(ids()).toEqual(['evt_2'])
  })
})

describe('when the files are deleted', () => {
  test.each([
    ['all', ['', '-wal', '-shm']],
    ['the database', ['']],
    ['the -wal file', ['-wal']],
    ['the -shm file', ['-shm']],
  ])('(%s), the next batch fails, and what follows is stored in new ones', async (_name, suffixes) => {
    await store('evt_1')
    for (const suffix of suffixes) unlinkSync(path + suffix)
    const both = await Promise.allSettled([store('evt_2'), store('evt_3')])
    expect(both).toMatchObject([{ reason: { code: 'replaced' } }, { reason: { code: 'replaced' } }])
    await store('evt_4')
    const other = open()
    others.push(other)
    expect(ids(other).at(-1)).toBe('evt_4')
    expect(ids(other)).toEqual(ids())
    for (const file of readdirSync(join(folder, 'data'))) {
      expect(statSync(join(folder, 'data', file)).mode & 0o777).toBe(0o600)
    }
  })

  test('with their folder, both are made again', async () => {
    await store('evt_1')
    rmSync(join(folder, 'data'), { recursive: true })
    await expect(store('evt_2')).rejects.toMatchObject({ code: 'replaced' })
    await store('evt_3')
    expect(ids()).toEqual(['evt_3'])
    expect(statSync(join(folder, 'data')).mode & 0o777).toBe(0o700)
  })

  test('in use by two processes, both end up in the same new file', async () => {
    const other = open()
    others.push(other)
    await Promise.all([store('evt_1'), store('evt_2', other)])
    for (const suffix of ['', '-wal', '-shm']) unlinkSync(path + suffix)
    await expect(store('evt_3')).rejects.toMatchObject({ code: 'replaced' })
    await store('evt_4')
    await expect(store('evt_5', other)).rejects.toMatchObject({ code: 'replaced' })
    await store('evt_6', other)
    await store('evt_7')
    expect(ids()).toEqual(['evt_4', 'evt_6', 'evt_7'])
    expect(ids(other)).toEqual(ids())
  })
})
