import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../test/support/machine.ts'
import { setEnvVariable } from './env-file.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = temporaryFolder()
  file = join(folder, '.env')
})

const set = (before: string | Uint8Array, value = 'whsec_1') => {
  writeFileSync(file, before, { mode: 0o644 })
  setEnvVariable(file, 'SECRET', value)
  return readFileSync(file, 'latin1')
}

describe('setEnvVariable', () => {
  it('makes the file, for its owner only', () => {
    setEnvVariable(file, 'SECRET', 'whsec_1')
    expect(readFileSync(file, 'utf8')).toBe('SECRET=whsec_1\n')
    expect(lstatSync(file).mode & 0o777).toBe(0o600)
  })

  it.each([
    ['adds a line', 'A=1\n', 'A=1\nSECRET=whsec_1\n'],
    ['ends a last line that has no end', 'A=1', 'A=1\nSECRET=whsec_1\n'],
    [
      'replaces its line where it stands',
      '# mine\nSECRET=old # note\n\nB=2\n',
      '# mine\nSECRET=whsec_1\n\nB=2\n',
    ],
    ['keeps export and indentation', '  export SECRET = "old"\nB=2', '  export SECRET=whsec_1\nB=2'],
    [
      'replaces each line that sets it: the last one counts',
      'SECRET=a\nB=2\nSECRET=b\n',
      'SECRET=whsec_1\nB=2\nSECRET=whsec_1\n',
    ],
    [
      'leaves comments and longer names',
      '#SECRET=a\nMY_SECRET=b\nSECRET_2=c\n',
      '#SECRET=a\nMY_SECRET=b\nSECRET_2=c\nSECRET=whsec_1\n',
    ],
    ['keeps the line ends of Windows', 'A=1\r\nSECRET=a\r\n', 'A=1\r\nSECRET=whsec_1\r\n'],
    [
      'leaves a line inside the value of another variable',
      'X="a\nSECRET=inside\n" # note\nY=\'\nSECRET=b\'\n',
      'X="a\nSECRET=inside\n" # note\nY=\'\nSECRET=b\'\nSECRET=whsec_1\n',
    ],
    [
      'leaves one inside a value with quotes of both kinds',
      'X="it\'s \\"so\\"\r\nSECRET=inside"\r\nSECRET=old\r\n',
      'X="it\'s \\"so\\"\r\nSECRET=inside"\r\nSECRET=whsec_1\r\n',
    ],
    ['replaces the whole of a value of several lines', 'SECRET="a\nb"\nB=2\n', 'SECRET=whsec_1\nB=2\n'],
    [
      'takes a quote that is not closed, or in a comment, for no value of several lines',
      "# don't\nA='\nB=it's\nSECRET=old\n",
      "# don't\nA='\nB=it's\nSECRET=whsec_1\n",
    ],
    ['uses them for a new line', 'A=1\r\n', 'A=1\r\nSECRET=whsec_1\r\n'],
  ])('%s', (_what, before, after) => {
    expect(set(before)).toBe(after)
  })

  it('keeps bytes that are no UTF-8, and closes a file that others could read', () => {
    const bytes = Uint8Array.from([0x41, 0x3d, 0xff, 0xfe, 0x0a])
    expect(set(bytes)).toBe(`${Buffer.from(bytes).toString('latin1')}SECRET=whsec_1\n`)
    expect(lstatSync(file).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder)).toEqual(['.env'])
  })

  it('takes $ and # literally', () => {
    expect(parseEnv(set('SECRET=x', '$& #1'))).toEqual({ SECRET: '$& #1' })
  })

  it('refuses what it cannot write, and changes nothing: a link, a folder, a secret with a quote, a folder that is not there', () => {
    writeFileSync(join(folder, 'real'), 'A=1\n')
    symlinkSync('real', file)
    expect(() => setEnvVariable(file, 'SECRET', 's')).toThrow(/is a link/)
    expect(readFileSync(join(folder, 'real'), 'utf8')).toBe('A=1\n')
    mkdirSync(join(folder, 'sub'))
    expect(() => setEnvVariable(join(folder, 'sub'), 'SECRET', 's')).toThrow(/no file/)
    expect(() => setEnvVariable(join(folder, 'new'), 'SECRET', "it's\n")).toThrow(/cannot hold/)
    expect(() => setEnvVariable(join(folder, 'nowhere', '.env'), 'SECRET', 's')).toThrow(/ENOENT/)
    expect(readdirSync(folder).sort()).toEqual(['.env', 'real', 'sub'])
  })
})
