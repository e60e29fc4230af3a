import { execFileSync } from 'node:child_process'
import { chmodSync, lchownSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { asAnothersFiles, giveAway, temporaryFolder, testMachine } from '../../test/support/machine.ts'
import { ensurePrivateFolder } from './private-folder.ts'

const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8)

test.each(['000', '022', '077', '777'])(
  'folders and their parents are created 0700 under umask %s',
  (umask) => {
    const folder = join(temporaryFolder(), 'a', 'b')
    // A umask belongs to a process: here, to one of its own.
    const code = `
    import { ensurePrivateFolder } from ${JSON.stringify(new URL('private-folder.ts', import.meta.url).href)}
    import { machineOf } from ${JSON.stringify(new URL('machine.ts', import.meta.url).href)}
    process.umask(0o${umask})
    ensurePrivateFolder(machineOf(process), process.argv[1])`
    execFileSync(process.execPath, ['--input-type=module', '-e', code, folder])
    expect([mode(folder), mode(join(folder, '..'))]).toEqual(['700', '700'])
  },
)

test('a folder that is there keeps its mode', () => {
  const folder = join(temporaryFolder(), 'mine')
  mkdirSync(folder)
  chmodSync(folder, 0o755)
  ensurePrivateFolder(testMachine(), folder)
  expect(mode(folder)).toBe('755')
})

test.each([0o770, 0o707, 0o777])('a folder that others can write is refused (%o)', (bits) => {
  const folder = temporaryFolder()
  chmodSync(folder, bits)
  expect(() => ensurePrivateFolder(testMachine(), folder)).toThrow(
    expect.objectContaining({
      code: 'unsafe_folder',
      hint: expect.stringContaining(`chmod 700 '${folder}'`),
    }),
  )
})

test("another user's folder is refused", () => {
  const folder = temporaryFolder()
  const machine = asAnothersFiles(testMachine(), giveAway(folder))
  expect(() => ensurePrivateFolder(machine, folder)).toThrow(
    expect.objectContaining({ code: 'unsafe_folder' }),
  )
})

test('a link that another user made is refused, also when it leads to a folder of ours', () => {
  const folder = temporaryFolder()
  const link = join(temporaryFolder(), 'link')
  symlinkSync(folder, link)
  const machine = asAnothersFiles(testMachine(), (uid) => lchownSync(link, uid, uid))
  expect(() => ensurePrivateFolder(machine, link)).toThrow(/link that another user made/)
})

test('our own link to our own folder is fine', () => {
  const link = join(temporaryFolder(), 'link')
  symlinkSync(temporaryFolder(), link)
  ensurePrivateFolder(testMachine(), link)
})

test('a link that leads nowhere, or a file in its place, is refused', () => {
  const folder = temporaryFolder()
  symlinkSync(join(folder, 'nowhere'), join(folder, 'link'))
  writeFileSync(join(folder, 'file'), '')
  for (const name of ['link', 'file']) {
    expect(() => ensurePrivateFolder(testMachine(), join(folder, name))).toThrow(/is not a folder/)
  }
})

test('a parent that cannot hold folders is an error that says so', () => {
  const file = join(temporaryFolder(), 'file')
  writeFileSync(file, '')
  expect(() => ensurePrivateFolder(testMachine(), join(file, 'folder'))).toThrow(
    expect.objectContaining({ code: 'not_writable', hint: expect.stringContaining('BANKAPI_CONFIG_DIR') }),
  )
})
