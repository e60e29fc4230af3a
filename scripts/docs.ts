/**
 * Writes the generated pages of docs/. With `--check` it writes nothing and fails when one is out of date.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { coveragePage } from './docs/coverage-page.ts'
import { exitCodesPage } from './docs/exit-codes-page.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Every generated page by its path below docs/. */
export function pages(): Record<string, string> {
  return { 'api-coverage.md': coveragePage(), 'exit-codes.md': exitCodesPage() }
}

/** Paths of pages whose file is not what would be written. */
export async function stalePages(): Promise<string[]> {
  const stale: string[] = []
  for (const [name, text] of Object.entries(pages())) {
    const file = await readFile(join(root, 'docs', name), 'utf8').catch(() => undefined)
    if (file !== text) stale.push(name)
  }
  return stale
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } })
  const stale = await stalePages()
  if (values.check && stale.length > 0) {
    process.stderr.write(`Out of date: ${stale.join(', ')}. Run \`npm run docs\` and commit.\n`)
    process.exitCode = 1
  } else {
    const all = pages()
    for (const name of stale) {
      await mkdir(dirname(join(root, 'docs', name)), { recursive: true })
      await writeFile(join(root, 'docs', name), all[name] ?? '')
    }
  }
}
