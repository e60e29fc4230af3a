import { spawnSync } from 'node:child_process'
import { chmodSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isMainThread } from 'node:worker_threads'
import { describe, expect, test } from 'vitest'
import { testInbox } from '../../test/support/test-inbox.ts'

const files = testInbox()
const { open, delivery } = files

describe('the file', () => {
  const mode = (file: string) => statSync(file).mode & 0o777

  // A thread cannot set the umask.
  test.runIf(isMainThread).each([0o000, 0o022, 0o777])(
    'is the user’s alone under umask %o, and so are the files beside it',
    (umask) => {
      const before = process.umask(umask)
      try {
        open().deliveries.record(delivery('evt_1'))
      } finally {
        process.umask(before)
      }
      for (const file of [files.path, `${files.path}-wal`, `${files.path}-shm`])
        expect(mode(file)).toBe(0o600)
      expect(mode(join(files.folder, 'data'))).toBe(0o700)
    },
  )

  test('is closed to others when it was left open to them', () => {
    open().close()
    chmodSync(files.path, 0o644)
    open()
    expect(mode(files.path)).toBe(0o600)
  })

  test('is never a link', () => {
    const target = join(files.folder, 'target')
    writeFileSync(target, '')
    symlinkSync(target, join(files.folder, 'link'))
    expect(() => open({ path: join(files.folder, 'link') })).toThrow(
      expect.objectContaining({ code: 'unsafe_file' }),
    )
    symlinkSync(join(files.folder, 'nowhere'), join(files.folder, 'dangling'))
    expect(() => open({ path: join(files.folder, 'dangling') })).toThrow(
      expect.objectContaining({ code: 'unsafe_file' }),
    )
    expect(() => open({ path: files.folder })).toThrow(expect.objectContaining({ code: 'unsafe_file' }))
    for (const beside of ['wal', 'shm']) {
      const path = join(files.folder, `inbox-${beside}.sqlite`)
      symlinkSync(target, `${path}-${beside}`)
      expect(() => open({ path }), beside).toThrow(expect.objectContaining({ code: 'unsafe_file' }))
    }
    expect(statSync(target).size).toBe(0)
  })

  test('of another program, of a newer version or of no database is refused, and left as it is', () => {
    const other = join(files.folder, 'other.sqlite')
    const database = new DatabaseSync(other)
    database.exec('CREATE TABLE mine (x)')
    expect(() => open({ path: other })).toThrow(expect.objectContaining({ code: 'not_an_inbox' }))
    expect(database.prepare('SELECT count(*) AS tables FROM sqlite_schema').get()).toMatchObject({
      tables: 1,
    })
    database.close()

    open().close()
    const newer = new DatabaseSync(files.path)
    newer.exec('PRAGMA user_version = 99')
    newer.close()
    expect(() => open()).toThrow(expect.objectContaining({ code: 'newer_inbox' }))

    const text = join(files.folder, 'notes.txt')
    writeFileSync(text, 'no database at all, but long enough to look like a header\n'.repeat(20))
    expect(() => open({ path: text })).toThrow(expect.objectContaining({ code: 'not_an_inbox' }))
  })

  test.each([0, 1, 2])('of another program is refused, whatever version it gives itself: %i', (version) => {
    const path = join(files.folder, 'theirs.sqlite')
    const other = new DatabaseSync(path)
    other.exec(`CREATE TABLE theirs (a); PRAGMA user_version = ${version}`)
    other.close()
    expect(() => open({ path })).toThrow(expect.objectContaining({ code: 'not_an_inbox' }))
  })

  test('can be opened for the first time by several processes at once', { tags: ['slow'] }, async () => {
    const script = `
      import { openInbox } from '${new URL('open.ts', import.meta.url).href}'
      const inbox = openInbox({ path: ${JSON.stringify(files.path)}, now: Date.now })
      for (let at = 0; at < 50; at++) inbox.deliveries.record({ receivedAt: Date.now(), environment: 'x', method: 'POST',
        path: '/', headers: [], body: Buffer.from('x'), eventId: 'evt_' + at, shape: 'event', verified: true })
      inbox.close()`
    const { spawn } = await import('node:child_process')
    const codes = await Promise.all(
      Array.from({ length: 6 }, () => {
        const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' })
        return new Promise((resolve) => child.once('exit', resolve))
      }),
    )
    expect(codes).toEqual([0, 0, 0, 0, 0, 0])
    const { deliveries } = open()
    expect(deliveries.list()).toHaveLength(300)
    expect(deliveries.list({ duplicates: false })).toHaveLength(50)
  })

  test('is used without a word on stderr', () => {
    const script = `import('${new URL('open.ts', import.meta.url).href}').then(({ openInbox }) =>
      openInbox({ path: ':memory:', now: Date.now }).close())`
    const run = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' })
    expect(run).toMatchObject({ status: 0, stderr: '' })
  })
})
