import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { isEmulated } from '../../scripts/docs/coverage-page.ts'
import { stalePages } from '../../scripts/docs.ts'
import { commandOperations } from '../../src/cli/command/command-operations.ts'

const manifest = JSON.parse(readFileSync(new URL('../../oclif.manifest.json', import.meta.url), 'utf8')) as {
  commands: Record<string, object>
}

it('the generated pages of docs/ are up to date', async () => {
  expect(await stalePages(), 'run `npm run docs` and commit').toEqual([])
})

describe.each(commandOperations().map((row) => [row.operation, row] as const))('%s', (_, row) => {
  it('has its command', () => {
    if (row.command !== null) expect(manifest.commands).toHaveProperty([row.command.replaceAll(' ', ':')])
  })

  it('is answered by the emulator', () => {
    expect(isEmulated(row.operation)).toBe(true)
  })
})
