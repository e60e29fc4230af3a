import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type PagerOptions, writePaged } from './pager.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bankapi-pager-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const long = 'line\n'.repeat(100)

/** What came to stdout directly and what the pager, if it ran, wrote to a file. */
async function run(text: string, options: Partial<PagerOptions>) {
  let direct = ''
  const stdout = new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      direct += chunk
      done()
    },
  })
  const env = { PATH: process.env['PATH'], OUT: join(folder, 'out'), PAGER: 'cat > "$OUT"', ...options.env }
  await writePaged(text, { stdout, height: 24, width: 80, ...options, env })
  const paged = await readFile(env.OUT, 'utf8').catch(() => undefined)
  return { direct, paged }
}

test('text taller than the terminal goes through the pager, whole', async () => {
  expect(await run(long, {})).toEqual({ direct: '', paged: long })
})

test('a line wider than the terminal counts as several', async () => {
  const wide = `${'x'.repeat(80 * 30)}\n`
  expect((await run(wide, {})).paged).toBe(wide)
})

test('colours take no room', async () => {
  const painted = `${'\u001b[32mx\u001b[39m'.repeat(80)}\n`.repeat(20)
  expect(await run(painted, {})).toEqual({ direct: painted, paged: undefined })
})

test('short text and an unknown height are never paged', async () => {
  expect(await run('line\n'.repeat(23), {})).toEqual({ direct: 'line\n'.repeat(23), paged: undefined })
  expect(await run(long, { height: 0 })).toEqual({ direct: long, paged: undefined })
})

test('BANKAPI_PAGER comes before PAGER; empty or cat means none', async () => {
  const env = { BANKAPI_PAGER: 'tr a-z A-Z > "$OUT"' }
  expect((await run(long, { env })).paged).toBe(long.toUpperCase())
  expect((await run(long, { env: { PAGER: '' } })).direct).toBe(long)
  expect((await run(long, { env: { PAGER: 'cat' } })).direct).toBe(long)
})

test('less is told to show colours and to end by itself, unless LESS says otherwise', async () => {
  const PAGER = 'cat > /dev/null; printf "%s" "$LESS" > "$OUT"'
  expect((await run(long, { env: { PAGER } })).paged).toBe('FRX')
  expect((await run(long, { env: { PAGER, LESS: 'S' } })).paged).toBe('S')
})

test('a pager that is not there is done without', async () => {
  expect((await run(long, { env: { PAGER: 'no-such-pager-here 2>/dev/null' } })).direct).toBe(long)
  expect((await run(long, { env: { PAGER: undefined, PATH: folder } })).direct).toBe(long)
})

test('quitting the pager early is no error and prints nothing more', async () => {
  const huge = 'x'.repeat(1_000_000)
  for (const PAGER of ['exit 0', 'exec <&-; sleep 0.2']) {
    expect((await run(huge, { env: { PAGER } })).direct).toBe('')
  }
})
