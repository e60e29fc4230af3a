import { globSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { assertMark, openMirror } from './open.ts'

const folder = mkdtempSync(join(tmpdir(), 'bankapi-open-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function opened(name: string) {
  const mirror = await openMirror({ to: join(folder, name), env: {} })
  onTestFinished(() => mirror.close())
  return mirror
}

const now = '2026-03-10T12:00:00.000Z'
const sandbox = { environment: 'sandbox', baseUrl: 'https://api.example.com/v3' }

const client = { id: 'cli_1', listed_in: 1, raw: '{}', fingerprint: 'f', first_seen_at: now, changed_at: now }

test('a mistyped address does not stick to a mirror that never had a Client', async () => {
  const mirror = await opened('mistyped.sqlite')
  const mistyped = { ...sandbox, baseUrl: 'https://other.example.com/v3' }
  await assertMark(mirror, mistyped)
  await assertMark(mirror, sandbox)
  // One that was forgotten belongs to somebody, too.
  await mirror.put(mirror.db, 'forgotten_clients', [{ client_id: 'cli_1', forgotten_at: now }])
  await expect(assertMark(mirror, mistyped)).rejects.toMatchObject({
    code: 'other_environment',
    message: expect.stringContaining(`at ${sandbox.baseUrl}`),
  })
})

test('a mirror belongs to the environment and the address of its first run', async () => {
  const mirror = await opened('sandbox.sqlite')
  await assertMark(mirror, sandbox)
  await mirror.put(mirror.db, 'clients', [client])
  await assertMark(mirror, sandbox)
  const others = [
    { ...sandbox, environment: 'live' },
    { ...sandbox, baseUrl: 'https://other.example.com/v3' },
    { environment: 'local', baseUrl: sandbox.baseUrl },
  ]
  for (const other of others) {
    await expect(assertMark(mirror, other)).rejects.toMatchObject({
      code: 'other_environment',
      exit: 'usage',
    })
  }
  const marks = await mirror.db.selectFrom('mirror').selectAll().where('name', '=', 'environment').execute()
  expect(marks).toEqual([{ name: 'environment', value: 'sandbox' }])
})

test('one of the emulator may have another port at the next start', async () => {
  const mirror = await opened('local.sqlite')
  await assertMark(mirror, { environment: 'local', baseUrl: 'http://127.0.0.1:4010/v3' })
  await assertMark(mirror, { environment: 'local', baseUrl: 'http://127.0.0.1:50123/v3' })
  await expect(assertMark(mirror, sandbox)).rejects.toMatchObject({ code: 'other_environment' })
})

test('only its owner may read the file', async () => {
  await opened('private.sqlite')
  expect(statSync(join(folder, 'private.sqlite')).mode & 0o077).toBe(0)
})

test('there is nothing to read before the first run', async () => {
  const reading = openMirror({ to: join(folder, 'absent.sqlite'), readOnly: true, env: {} })
  await expect(reading).rejects.toMatchObject({ code: 'no_mirror', exit: 'notFound' })
  expect(() => statSync(join(folder, 'absent.sqlite'))).toThrow('ENOENT')
})

const filesOf = (name: string) => globSync(`${name}*`, { cwd: folder })

test('one that was made in vain is removed, with all of its files', async () => {
  const mirror = await opened('vain.sqlite')
  const { release } = await mirror.claim()
  await assertMark(mirror, sandbox)
  expect(filesOf('vain.sqlite')).toContain('vain.sqlite')
  await mirror.discard()
  release()
  expect(filesOf('vain.sqlite')).toEqual([])
})

test('one that has a Client, was there before, or is open elsewhere is not removed', async () => {
  const used = await opened('used.sqlite')
  await used.put(used.db, 'clients', [client])
  await used.discard()
  expect(filesOf('used.sqlite')).toEqual(['used.sqlite'])

  await (await opened('old.sqlite')).close()
  await (await opened('old.sqlite')).discard()
  expect(filesOf('old.sqlite')).toEqual(['old.sqlite'])

  const shared = await opened('shared.sqlite')
  const other = await opened('shared.sqlite')
  await shared.discard()
  expect(filesOf('shared.sqlite')).toContain('shared.sqlite')
  await other.put(other.db, 'clients', [client])
})
