import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/machine.ts'
import { LeftFile } from './left-file.ts'

test('the file of what is left is whole, for its owner alone, and replaces the one before', () => {
  const folder = temporaryFolder()
  const path = join(folder, 'left')
  writeFileSync(path, 'before')
  const file = new LeftFile(path)
  expect(readFileSync(path, 'utf8')).toBe('before')
  file.write(['con_FDE_1', 'con_FDE_2'])
  expect(readFileSync(path, 'utf8')).toBe('con_FDE_1\ncon_FDE_2\n')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder)).toEqual(['left'])
})

test('an id is out of the file before it is sent, and in it again when it was refused', () => {
  const path = join(temporaryFolder(), 'left')
  const file = new LeftFile(path)
  file.begin(['a', 'b', 'c'])
  file.take('a')
  expect(readFileSync(path, 'utf8')).toBe('b\nc\n# under way: a\n')
  file.take('b')
  expect(readFileSync(path, 'utf8')).toBe('c\n# under way: a\n# under way: b\n')
  file.settled('a', true)
  file.settled('b', false)
  expect(readFileSync(path, 'utf8')).toBe('a\nc\n')
  file.take('c')
  expect(readFileSync(path, 'utf8')).toBe('a\n# under way: c\n')
  file.settled('c', false)
  file.write(['a'])
  expect(readFileSync(path, 'utf8')).toBe('a\n')
})

test('what cannot be written is not sent: the take throws; what was sent is no failure for it', () => {
  const folder = temporaryFolder()
  const file = new LeftFile(join(folder, 'left'))
  file.begin(['a', 'b'])
  file.take('a')
  rmSync(folder, { recursive: true })
  file.settled('a', false)
  const notWritable = expect.objectContaining({ code: 'not_writable', exit: 'unexpected' })
  expect(() => file.take('b')).toThrow(notWritable)
  expect(() => file.write(['b'])).toThrow(notWritable)
})

test('what is no ordinary file, or could not be written later, is refused before anything is sent', () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'folder'))
  writeFileSync(join(folder, 'file'), '')
  symlinkSync('file', join(folder, 'link'))
  const refused = (name: string, code: string) =>
    expect(() => new LeftFile(join(folder, name)), name).toThrow(
      expect.objectContaining({ name: 'UsageError', code }),
    )
  refused('folder', 'not_a_file')
  refused('link', 'not_a_file')
  refused('none/left', 'not_writable')
  refused('file/left', 'not_writable')
  refused('x'.repeat(300), 'not_writable')
  expect(readdirSync(folder).sort()).toEqual(['file', 'folder', 'link'])
})
