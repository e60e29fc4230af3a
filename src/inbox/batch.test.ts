import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { testInbox } from '../../test/support/test-inbox.ts'

const files = testInbox()
const { now, open, delivery } = files
const day = 24 * 60 * 60 * 1000

const ids = (found: { eventId?: string | undefined }[]) => found.map(({ eventId }) => eventId)

describe('writes of a few turns', () => {
  test('share a commit, and each gets its own result, in the order of the calls', async () => {
    const { batch, deliveries } = open()
    const settled: string[] = []
    const store = async (eventId: string) => {
      const { id } = await batch(() => deliveries.record(delivery(eventId)))
      settled.push(`${eventId}: ${id}`)
    }
    const other = open().deliveries
    const both = Promise.all([store('evt_1'), store('evt_2')])
    expect(await other.list()).toEqual([])
    await both
    await store('evt_3')
    expect(settled).toEqual(['evt_1: 1', 'evt_2: 2', 'evt_3: 3'])
    expect(await other.list()).toHaveLength(3)
  })

  test('that fail for a reason of their own do not affect the others', async () => {
    const { batch, deliveries } = open()
    const fault = new TypeError('of the caller')
    const outcomes = await Promise.allSettled([
      batch(() => deliveries.record(delivery('evt_1'))),
      batch(() => {
        throw fault
      }),
      batch(() => deliveries.record(delivery('evt_2'))),
    ])
    expect(outcomes).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: fault },
      { status: 'fulfilled' },
    ])
    expect(ids(await deliveries.list())).toEqual(['evt_1', 'evt_2'])
  })
})

describe('an inbox that is opened', () => {
  test('says whether it can be written, and leaves nothing of the attempt', async () => {
    const inbox = open()
    inbox.assertWritable()
    inbox.assertWritable()
    const reader = new DatabaseSync(files.path, { readOnly: true })
    expect(reader.prepare("SELECT * FROM sqlite_schema WHERE name = 'written'").all()).toEqual([])
    reader.close()
  })

  test('whose file may not grow by a page is not writable', async () => {
    const full = open({ maxBytes: 4096 * 8 })
    const fill = () => {
      for (let event = 0; ; event++) full.deliveries.record(delivery(`evt_${event}`))
    }
    expect(fill).toThrow('full')
    expect(() => full.assertWritable()).toThrow(expect.objectContaining({ name: 'InboxError', code: 'full' }))
  })

  test('deletes what is too old at once, then every minute, and nothing once it is closed', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    let time = now
    const inbox = open({ now: () => time, keep: { ageMs: day } })
    await inbox.deliveries.record(delivery('evt_1'))
    time += day / 2
    vi.advanceTimersByTime(60_000)
    expect(ids(await inbox.deliveries.list())).toEqual(['evt_1'])
    // An hour counts as a day at most.
    for (let hours = 0; hours < 24; hours++) {
      time += 60 * 60 * 1000
      vi.advanceTimersByTime(60_000)
    }
    expect(await inbox.deliveries.list()).toEqual([])
    inbox.close()
    expect(vi.getTimerCount()).toBe(0)
  })

  test('goes on pruning in short steps while there is more, and after a step that failed', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const before = open()
    for (let at = 0; at < 450; at++) {
      await before.deliveries.record(delivery(`evt_${at}`, { receivedAt: now - 40 * day }))
    }
    before.close()
    const inbox = open()
    const left = async () => (await inbox.deliveries.list()).length
    expect(await left()).toBe(250)
    const holder = new DatabaseSync(files.path)
    onTestFinished(() => holder.close())
    holder.exec('BEGIN IMMEDIATE')
    vi.advanceTimersByTime(100)
    expect(await left()).toBe(250)
    holder.exec('ROLLBACK')
    vi.advanceTimersByTime(59_999)
    expect(await left()).toBe(250)
    vi.advanceTimersByTime(1)
    expect(await left()).toBe(50)
    vi.advanceTimersByTime(100)
    expect(await left()).toBe(0)
  })
})

describe('its file', () => {
  const mode = (path: string) => statSync(path).mode & 0o777

  test('gets every folder that is missing, each of the user alone; folders that are there stay as they are', () => {
    const there = join(files.folder, 'there')
    mkdirSync(there)
    chmodSync(there, 0o755)
    const path = join(there, 'a', 'b', 'inbox.sqlite')
    open({ path })
    expect([there, join(there, 'a'), join(there, 'a', 'b')].map(mode)).toEqual([0o755, 0o700, 0o700])
  })

  test('that cannot be created is an error with the reason of the system', () => {
    const file = join(files.folder, 'a-file')
    writeFileSync(file, 'text')
    expect(() => open({ path: join(file, 'below', 'inbox.sqlite') })).toThrow(
      expect.objectContaining({
        code: 'not_writable',
        message: expect.stringMatching(/cannot be created \(E[A-Z]+\)/),
        hint: expect.stringContaining('BANKAPI_DATA_DIR'),
      }),
    )
    expect(readFileSync(file, 'utf8')).toBe('text')
  })

  test('is none for :memory:', async () => {
    const inbox = open({ path: ':memory:' })
    await inbox.deliveries.record(delivery('evt_1'))
    expect(await inbox.deliveries.list()).toHaveLength(1)
    expect(existsSync(files.path)).toBe(false)
    expect(existsSync(':memory:')).toBe(false)
  })

  test('that others could read beside it is closed, too', async () => {
    const inbox = open()
    await inbox.deliveries.record(delivery('evt_1'))
    for (const beside of ['-wal', '-shm']) chmodSync(files.path + beside, 0o666)
    open()
    for (const beside of ['', '-wal', '-shm']) expect(mode(files.path + beside)).toBe(0o600)
  })
})
