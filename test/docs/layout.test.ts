/** Checks docs/layout.md: the files it names exist, and common changes touch at most four. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import config from '../../.dependency-cruiser.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const page = readFileSync(join(root, 'docs/layout.md'), 'utf8')

const section = (heading: string): string =>
  page.split(/^## /m).find((part) => part.startsWith(heading)) ?? ''

/** The cells of each row of a section's table. */
const rowsOf = (heading: string): string[][] =>
  [...section(heading).matchAll(/^\| (.*) \|$/gm)]
    .map(([, row = '']) => row.split(' | '))
    .filter(([first = '']) => !/^-+$/.test(first))

const filesIn = (text: string): string[] =>
  [...text.matchAll(/`((?:src|test|docs|bin|scripts)\/[\w./-]+\.\w+)`/g)].map(([, file = '']) => file)

describe('docs/layout.md', () => {
  it('names files that exist', () => {
    const named = filesIn(page)
    expect(named.length).toBeGreaterThan(40)
    expect(named.filter((file) => !existsSync(join(root, file)))).toEqual([])
  })

  it.each(
    rowsOf('Where to add things')
      .slice(1)
      .map(([what = '', files = '']) => [what, files]),
  )('%s: at most four files', (_, files = '') => {
    const named = filesIn(files)
    expect(named.length).toBeLessThanOrEqual(4)
    // Each row names a test, so that no change goes untested.
    expect(files).toMatch(/test/)
  })

  it('lists every folder of src/ and every module that has a boundary', () => {
    const listed = rowsOf('Boundaries').map(([module = '']) => module)
    const bounded = (config.forbidden ?? [])
      .map(({ name = '' }) => name)
      .filter((name) => name.endsWith('-boundary') && name !== 'tui-boundary')
    const nameOf: Record<string, string> = {
      areas: 'commands/_name.ts',
      'emulator-entry': 'emulator.ts',
      errors: 'errors.ts',
      'growing-buffer': 'growing-buffer.ts',
      turns: 'turns.ts',
      pipelining: 'pipelining.ts',
      'private-names': 'private-names.ts',
      'mcp-sdk': 'mcp-sdk.ts',
      'without-secrets': 'without-secrets.ts',
      'mcp-connector': 'mcp/connector',
      webhooks: 'webhooks.ts',
    }
    const wanted = bounded.map((name) => {
      const module = name.replace('-boundary', '')
      return nameOf[module] ?? module.replace('tui-', 'tui/')
    })
    expect(listed.slice(1).sort()).toEqual(wanted.sort())
  })
})
