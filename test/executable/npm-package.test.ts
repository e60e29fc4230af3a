import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { unpackPackage } from '../../scripts/executable/npm-package.ts'
import { temporaryFolder } from '../support/machine.ts'

let root: string
let archive: string
let cache: string
let calls: string

const pinned = () => ({
  name: '@some/package',
  version: '1.2.3',
  integrity: `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`,
})

describe.skipIf(process.platform === 'win32')('a package, with a shell script as npm', () => {
  beforeEach(() => {
    root = temporaryFolder()
    cache = join(root, 'node_modules/.cache/bankapi-executable')
    const source = temporaryFolder()
    mkdirSync(join(source, 'package/bin'), { recursive: true })
    for (const name of ['bin/node', 'README.md']) writeFileSync(join(source, 'package', name), name)
    archive = join(source, 'some-package-1.2.3.tgz')
    execFileSync('tar', ['-czf', archive, '-C', source, 'package'])
    calls = join(source, 'calls')
    const npm = join(source, 'npm')
    writeFileSync(
      npm,
      `#!/bin/sh\necho "$1 $2" >>'${calls}'\nfor last; do :; done\ncp '${archive}' "$last"\n`,
    )
    chmodSync(npm, 0o755)
    vi.stubEnv('PATH', `${source}${delimiter}${process.env['PATH']}`)
    return () => vi.unstubAllEnvs()
  })

  test('is downloaded once and kept; only the wanted files are unpacked', () => {
    const wanted = pinned()
    const to = join(root, 'to')
    unpackPackage(root, wanted, to, ['bin/node'])
    unpackPackage(root, wanted, to, ['bin/node'])
    expect(readdirSync(to, { recursive: true })).toEqual(['bin', join('bin', 'node')])
    expect(readdirSync(cache)).toEqual(['some-package-1.2.3.tgz'])
    expect(readFileSync(calls, 'utf8')).toBe('pack @some/package@1.2.3\n')
  })

  test('a package with another hash than the pinned one ends the build', () => {
    const to = join(root, 'to')
    expect(() => unpackPackage(root, { ...pinned(), integrity: 'sha512-other' }, to)).toThrow(
      'is not the package',
    )
    expect([existsSync(to), readdirSync(cache)]).toEqual([false, []])
  })

  test('what is damaged in the cache is downloaded again', () => {
    mkdirSync(cache, { recursive: true })
    writeFileSync(join(cache, 'some-package-1.2.3.tgz'), 'half')
    unpackPackage(root, pinned(), join(root, 'to'))
    expect(readdirSync(join(root, 'to')).sort()).toEqual(['README.md', 'bin'])
  })
})
