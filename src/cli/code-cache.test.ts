import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { beforeEach, expect, it, onTestFinished } from 'vitest'

const module = new URL('code-cache.ts', import.meta.url).href
let folder: string
let file: string
let cache: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bankapi-code-cache-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  file = join(folder, 'program-AAAAAAAA.cjs')
  cache = join(folder, 'cache')
  mkdirSync(cache)
  writeFileSync(
    file,
    `const { join } = require('node:path')
exports.where = () => join(__dirname, 'ü')`,
  )
})

/** Loads the file in a process of its own, and calls what it exports. */
function run(use: string, folder = cache, said = '') {
  const script = `import { requireWithCache } from ${JSON.stringify(module)}
const { where } = requireWithCache(${JSON.stringify(file)}, ${JSON.stringify(folder)}, ${JSON.stringify(use)})
process.stdout.write(where() + '\\n')`
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
  })
  expect([status, stderr]).toEqual([0, said])
  return stdout
}

it('a module knows where it is, and what it may require', () => {
  expect(run('one')).toBe(`${join(folder, 'ü')}\n`)
})

it('each use leaves its bytecode, for its owner only, and a later run takes it as it is', () => {
  run('one')
  run('two')
  const names = ['program-AAAAAAAA.cjs.one', 'program-AAAAAAAA.cjs.two']
  expect(readdirSync(cache).sort()).toEqual(names)
  const one = join(cache, names[0] ?? '')
  expect(statSync(one).mode & 0o777).toBe(0o600)
  const before = statSync(one)
  expect(run('one')).toBe(`${join(folder, 'ü')}\n`)
  expect(statSync(one).ino).toBe(before.ino)
})

it('bytecode that V8 does not take is made again', () => {
  run('one')
  const path = join(cache, 'program-AAAAAAAA.cjs.one')
  const good = readFileSync(path)
  writeFileSync(path, 'short')
  expect(run('one')).toBe(`${join(folder, 'ü')}\n`)
  expect(readFileSync(path).length).toBeGreaterThan(good.length / 2)
})

it('bytecode with a damaged byte, wherever it is, is not given to V8, and is made again', () => {
  run('one')
  const path = join(cache, 'program-AAAAAAAA.cjs.one')
  const good = readFileSync(path)
  for (let at = 0; at < good.length; at += Math.floor(good.length / 20)) {
    const damaged = Buffer.from(good)
    damaged.writeUInt8((damaged[at] ?? 0) ^ 0x5a, at)
    writeFileSync(path, damaged)
    expect(run('one')).toBe(`${join(folder, 'ü')}\n`)
    const remade = readFileSync(path)
    expect(remade.readUInt32LE(remade.length - 4)).toBe(crc32(remade.subarray(0, -4)))
  }
})

it('bytecode that others can write is not used, which is said once: it is made again', () => {
  run('one')
  const path = join(cache, 'program-AAAAAAAA.cjs.one')
  chmodSync(path, 0o660)
  const said = `Warning: ${path} is or was open to other users; it is not used, and made again.\n`
  expect(run('one', cache, said)).toBe(`${join(folder, 'ü')}\n`)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(run('one')).toBe(`${join(folder, 'ü')}\n`)
})

it.skipIf(process.getuid?.() !== 0)('bytecode that another user owns is not used, and made again', () => {
  run('one')
  const path = join(cache, 'program-AAAAAAAA.cjs.one')
  chownSync(path, 54_321, 54_321)
  run('one', cache, expect.stringContaining('is not used'))
  expect(statSync(path).uid).toBe(0)
})

it('a folder that cannot be written costs nothing but the bytecode', () => {
  expect(run('one', join(folder, 'missing'))).toBe(`${join(folder, 'ü')}\n`)
})

it('bytecode of another version goes once it is a month old', () => {
  const [old, recent, foreign] = [
    'program-OLDOLDOL.cjs.one',
    'program-NEWNEWNE.cjs.one',
    'other-AAAAAAAA.cjs.one',
  ]
  for (const name of [old, recent, foreign]) writeFileSync(join(cache, name ?? ''), '')
  const twoMonthsAgo = Date.now() / 1000 - 60 * 24 * 60 * 60
  for (const name of [old, foreign]) utimesSync(join(cache, name ?? ''), twoMonthsAgo, twoMonthsAgo)
  run('one')
  expect(readdirSync(cache).sort()).toEqual([foreign, 'program-AAAAAAAA.cjs.one', recent].sort())
})
