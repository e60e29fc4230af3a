/** Writes the generated pages of docs/. With `--check` it writes nothing, and fails when one is out of date. */
import { glob, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { commandPages } from './docs/command-pages.ts'
import { coveragePage } from './docs/coverage-page.ts'
import { emulatorPage } from './docs/emulator-page.ts'
import { environmentPage } from './docs/environment-page.ts'
import { exitCodesPage } from './docs/exit-codes.ts'
import { jsonOutputPage } from './docs/json-output-page.ts'
import { openApiPages } from './docs/openapi-page.ts'
import { schemaPages } from './docs/schema-pages.ts'
import { tuiPage } from './docs/tui-keys.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Folders of docs/ in which every file is generated: any other file in them is out of date, too. */
const generatedFolders = '{commands,schemas}/*'

/** Every generated page, by its path from docs/. */
async function pages(): Promise<Record<string, string>> {
  return {
    'api-coverage.md': coveragePage(),
    'environment.md': environmentPage(),
    'exit-codes.md': exitCodesPage(),
    'emulator.md': emulatorPage(),
    'json-output.md': jsonOutputPage(),
    'tui.md': tuiPage(),
    ...commandPages(),
    ...schemaPages(),
    ...(await openApiPages()),
  }
}

/** Paths of files that differ from their page or belong to no page. */
export async function stalePages(): Promise<string[]> {
  return staleAmong(await pages())
}

async function staleAmong(current: Readonly<Record<string, string>>): Promise<string[]> {
  const stale: string[] = []
  for (const [name, text] of Object.entries(current)) {
    const file = await readFile(join(root, 'docs', name), 'utf8').catch(() => undefined)
    if (file !== text) stale.push(name)
  }
  for await (const path of glob(generatedFolders, { cwd: join(root, 'docs') })) {
    const name = path.replaceAll(sep, '/')
    if (!Object.hasOwn(current, name)) stale.push(name)
  }
  return stale
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } })
  const all = await pages()
  const stale = await staleAmong(all)
  if (values.check && stale.length > 0) {
    process.stderr.write(`Out of date: ${stale.join(', ')}. Run \`npm run docs\` and commit.\n`)
    process.exitCode = 1
  } else {
    for (const name of stale) {
      const file = join(root, 'docs', name)
      const text = all[name]
      if (text === undefined) {
        await rm(file)
        continue
      }
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, text)
    }
  }
}
