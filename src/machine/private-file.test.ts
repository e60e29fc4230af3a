import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { asAnothersFiles, giveAway, temporaryFolder, testMachine } from '../../test/support/machine.ts'
import { assertReplaceable, readPrivateFile, removePrivateFile, writePrivateFile } from './private-file.ts'

const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8)
const unsafe = expect.objectContaining({ name: 'FileError', code: 'unsafe_file' })

test.each(['000', '022', '777'])('a file is written 0600 under umask %s', (umask) => {
  const path = join(temporaryFolder(), 'new', 'file.json')
  const code = `
    import { writePrivateFile } from ${JSON.stringify(new URL('private-file.ts', import.meta.url).href)}
    import { machineOf } from ${JSON.stringify(new URL('machine.ts', import.meta.url).href)}
    process.umask(0o${umask})
    writePrivateFile(machineOf(process), process.argv[1], 'text')`
  execFileSync(process.execPath, ['--input-type=module', '-e', code, path])
  expect(mode(path)).toBe('600')
  expect(readFileSync(path, 'utf8')).toBe('text')
})

test('what was open to others is closed when it is written', () => {
  const path = join(temporaryFolder(), 'file')
  writeFileSync(path, 'old')
  chmodSync(path, 0o666)
  writePrivateFile(testMachine(), path, 'new')
  expect(mode(path)).toBe('600')
})

test('a write replaces the file and never changes it: whoever has the old one open keeps the old text', () => {
  const folder = temporaryFolder()
  writePrivateFile(testMachine(), join(folder, 'file'), 'old')
  linkSync(join(folder, 'file'), join(folder, 'same'))
  writePrivateFile(testMachine(), join(folder, 'file'), 'new')
  expect(readFileSync(join(folder, 'same'), 'utf8')).toBe('old')
  expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('new')
  expect(readdirSync(folder).sort()).toEqual(['file', 'same'])
})

test('a link in the place of the file is replaced, and what it led to stays as it was', () => {
  const folder = temporaryFolder()
  const victim = join(temporaryFolder(), 'victim')
  writeFileSync(victim, 'precious')
  symlinkSync(victim, join(folder, 'file'))
  writePrivateFile(testMachine(), join(folder, 'file'), 'new')
  expect(readFileSync(victim, 'utf8')).toBe('precious')
  expect(lstatSync(join(folder, 'file')).isSymbolicLink()).toBe(false)
})

test('a write that fails leaves the old file, and no unfinished one', () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'file'))
  expect(() => writePrivateFile(testMachine(), join(folder, 'file'), 'new')).toThrow(
    expect.objectContaining({ code: 'not_writable' }),
  )
  expect(readdirSync(folder)).toEqual(['file'])
})

test('a check whether a file could be replaced leaves the folder as it was, and throws the error of the system', () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'file'), 'old')
  assertReplaceable(join(folder, 'file'))
  assertReplaceable(join(folder, 'other'))
  expect(() => assertReplaceable(join(folder, 'none', 'file'))).toThrow(
    expect.objectContaining({ code: 'ENOENT' }),
  )
  expect(readdirSync(folder)).toEqual(['file'])
  expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('old')
})

test.skipIf(process.platform !== 'linux')('a full disk: said so, old text kept', () => {
  const folder = temporaryFolder()
  const path = join(folder, 'file')
  writePrivateFile(testMachine(), path, 'old')
  // A limit on the size of files stands in for the full disk.
  const code = `
    import { writePrivateFile } from ${JSON.stringify(new URL('private-file.ts', import.meta.url).href)}
    import { machineOf } from ${JSON.stringify(new URL('machine.ts', import.meta.url).href)}
    process.on('SIGXFSZ', () => {})
    try { writePrivateFile(machineOf(process), process.argv[1], 'x'.repeat(50_000)) } catch (e) { console.log(e.code) }`
  const limited = `ulimit -f 1; exec "$0" --input-type=module -e "$1" "$2"`
  const printed = execFileSync('bash', ['-c', limited, process.execPath, code, path], { encoding: 'utf8' })
  expect(printed.trim()).toBe('not_writable')
  expect(readFileSync(path, 'utf8')).toBe('old')
  expect(readdirSync(folder)).toEqual(['file'])
})

test('reading: the text, or undefined when there is no file or no folder', () => {
  const folder = temporaryFolder()
  writePrivateFile(testMachine(), join(folder, 'file'), 'text')
  expect(readPrivateFile(testMachine(), join(folder, 'file'), { secret: true })).toBe('text')
  expect(readPrivateFile(testMachine(), join(folder, 'none'))).toBeUndefined()
  expect(readPrivateFile(testMachine(), join(folder, 'none', 'none'))).toBeUndefined()
})

test('reading refuses a link, even to a good file of ours', () => {
  const folder = temporaryFolder()
  writePrivateFile(testMachine(), join(folder, 'file'), 'text')
  symlinkSync(join(folder, 'file'), join(folder, 'link'))
  expect(() => readPrivateFile(testMachine(), join(folder, 'link'))).toThrow(unsafe)
})

test("reading refuses another user's file", () => {
  const path = join(temporaryFolder(), 'file')
  writePrivateFile(testMachine(), path, 'text')
  const machine = asAnothersFiles(testMachine(), giveAway(path))
  expect(() => readPrivateFile(machine, path)).toThrow(/belongs to another user/)
})

test.each([0o640, 0o604, 0o660, 0o644, 0o601])(
  'a file with secrets that others can open is refused (%o)',
  (bits) => {
    const path = join(temporaryFolder(), 'file')
    writePrivateFile(testMachine(), path, 'text')
    chmodSync(path, bits)
    expect(() => readPrivateFile(testMachine(), path, { secret: true })).toThrow(
      expect.objectContaining({ code: 'unsafe_file', hint: expect.stringContaining(`chmod 600 '${path}'`) }),
    )
  },
)

test.each([0o770, 0o707, 0o777])('a file in a folder that others can write is refused (%o)', (bits) => {
  const folder = temporaryFolder()
  const path = join(folder, 'file')
  writePrivateFile(testMachine(), path, 'text')
  chmodSync(folder, bits)
  for (const secret of [true, false]) {
    expect(() => readPrivateFile(testMachine(), path, { secret })).toThrow(
      expect.objectContaining({
        code: 'unsafe_folder',
        hint: expect.stringContaining(`chmod 700 '${folder}'`),
      }),
    )
  }
})

test('a file without secrets may be read by others, not written', () => {
  const path = join(temporaryFolder(), 'file')
  writePrivateFile(testMachine(), path, 'text')
  chmodSync(path, 0o644)
  expect(readPrivateFile(testMachine(), path)).toBe('text')
  chmodSync(path, 0o664)
  expect(() => readPrivateFile(testMachine(), path)).toThrow(unsafe)
})

test('reading refuses a folder, a pipe (at once, without waiting for a writer) and a huge file', () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'folder'))
  execFileSync('mkfifo', ['-m', '600', join(folder, 'pipe')])
  writePrivateFile(testMachine(), join(folder, 'huge'), '')
  truncateSync(join(folder, 'huge'), 2 * 1024 * 1024)
  for (const name of ['folder', 'pipe', 'huge']) {
    expect(() => readPrivateFile(testMachine(), join(folder, name))).toThrow(unsafe)
  }
})

test('removing says whether there was one, and removes a link rather than what it leads to', () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'file'), '')
  symlinkSync(join(folder, 'file'), join(folder, 'link'))
  expect(removePrivateFile(join(folder, 'link'))).toBe(true)
  expect(removePrivateFile(join(folder, 'link'))).toBe(false)
  expect(readdirSync(folder)).toEqual(['file'])
})
