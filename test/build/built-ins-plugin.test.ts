import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { sourceOf } from '../../scripts/build/built-ins-plugin.ts'

async function moduleOf(name: string): Promise<Record<string, unknown>> {
  const folder = mkdtempSync(join(tmpdir(), 'bankapi-built-ins-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'module.mjs')
  writeFileSync(file, sourceOf(name))
  return import(/* @vite-ignore */ pathToFileURL(file).href)
}

it.each([
  'node:fs',
  'node:path',
  'node:util',
  'node:stream',
  'node:timers/promises',
  'node:net',
  'node:crypto',
])('%s has the names that Node gives it, and they do the same', async (name) => {
  const given = process.getBuiltinModule(name) as unknown as Record<string, unknown>
  const made = await moduleOf(name)
  expect(Object.keys(made).sort()).toEqual([...new Set([...Object.keys(given), 'default'])].sort())
  for (const [key, value] of Object.entries(given)) {
    // A plain function is wrapped, so that its module is loaded when it is called; all else is the very same.
    if (typeof value === 'function' && /^[a-z]/.test(key)) expect(made[key], key).toBeTypeOf('function')
    else expect(made[key], key).toBe(value)
  }
})

it('classes and functions that carry something are the very same', async () => {
  const { realpathSync, ReadStream } = await moduleOf('node:fs')
  const fs = process.getBuiltinModule('node:fs')
  expect([realpathSync, ReadStream]).toEqual([fs.realpathSync, fs.ReadStream])
  const { join: joined } = await moduleOf('node:path')
  expect((joined as typeof join)('a', '..', 'b')).toBe('b')
})
