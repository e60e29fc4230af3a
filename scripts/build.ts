/**
 * Builds dist/ (the program, its pages of help, and what programs import from the package, with types) and
 * oclif.manifest.json.
 *
 *   node scripts/build.ts            build, and write the manifest
 *   node scripts/build.ts --check    build, and fail when the committed manifest is not the one just built
 *
 * Everything is written to a temporary folder and moved into place at the end: a failed build leaves the last good dist/
 * as it was.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, glob, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Interfaces, Plugin, settings } from '@oclif/core'
import ts from 'typescript'
import { bundle } from './build/bundle.ts'
import { commandsIn } from './build/commands.ts'
import { helpPages, writeHelpPages } from './build/help-pages.ts'
import { recordSources } from './build/sources.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')
const manifestFile = join(root, 'oclif.manifest.json')
const stagingName = `dist.tmp-${process.pid}`
const staging = join(root, stagingName)

/** Writes the types of `bankapi/webhooks`, which esbuild does not. Imports of .ts files become imports of .js files. */
async function emitTypes(): Promise<void> {
  const types = join(staging, 'types')
  const tsc = join(root, 'node_modules', '.bin', 'tsc')
  const config = join(root, 'tsconfig.webhooks.json')
  const options = { encoding: 'utf8', shell: process.platform === 'win32' } as const
  const { status, error, stdout } = spawnSync(tsc, ['-p', config, '--outDir', types], options)
  if (status !== 0) throw new Error(`the types of bankapi/webhooks: ${error ?? stdout}`)
  for await (const name of glob('**/*.d.ts', { cwd: types })) {
    const file = join(types, name)
    const text = await readFile(file, 'utf8')
    await writeFile(file, text.replaceAll(/(from\s+['"]\.{1,2}\/[^'"]+)\.ts(['"])/g, '$1.js$2'))
  }
}

/**
 * Writes the types of `bankapi/emulator` from that file alone, which uses no type of another module: those of the emulator
 * would bring the types of all its packages.
 */
async function emitEmulatorTypes(): Promise<void> {
  const source = await readFile(join(root, 'src/emulator.ts'), 'utf8')
  const compilerOptions = { target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.NodeNext }
  const { outputText, diagnostics = [] } = ts.transpileDeclaration(source, { compilerOptions })
  const [problem] = diagnostics
  if (problem !== undefined) {
    throw new Error(
      `the types of bankapi/emulator: ${ts.flattenDiagnosticMessageText(problem.messageText, ' ')}`,
    )
  }
  await writeFile(join(staging, 'types/emulator.d.ts'), outputText)
}

/** The manifest as text, made from the commands by the oclif call that `oclif manifest` makes. */
async function manifest(): Promise<string> {
  const pjson = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Interfaces.PJSON
  settings.enableAutoTranspile = false
  const plugin = new Plugin({
    root,
    type: 'core',
    isRoot: true,
    pjson,
    ignoreManifest: true,
    errorOnManifestCreate: true,
    respectNoCacheDefault: true,
  })
  await plugin.load()
  // Sorted, as the order of files differs between systems. relativePath names source files, which are not published.
  const commands = Object.entries(plugin.manifest.commands)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, { relativePath: _, ...command }]) => [id, command])
  return `${JSON.stringify({ commands: Object.fromEntries(commands), version: pjson.version }, null, 1)}\n`
}

async function moveIntoPlace(): Promise<void> {
  const old = join(root, `dist.tmp-${process.pid}-old`)
  if (existsSync(dist)) await rename(dist, old)
  await rename(staging, dist)
  await rm(old, { recursive: true, force: true })
}

const { values: options } = parseArgs({ options: { check: { type: 'boolean', default: false } } })

try {
  recordSources(root, staging)
  const built = await manifest()
  await bundle(root, stagingName, commandsIn(root, JSON.parse(built)))
  await cp(join(root, 'src/sync/mirror/views'), join(staging, 'views'), { recursive: true })
  await cp(join(root, 'src/emulator/console/browser'), join(staging, 'browser'), { recursive: true })
  await emitTypes()
  await emitEmulatorTypes()
  await writeHelpPages(await helpPages(root), staging)
  await moveIntoPlace()
  const committed = existsSync(manifestFile) ? await readFile(manifestFile, 'utf8') : ''
  if (built !== committed) {
    if (options.check) {
      process.stderr.write('oclif.manifest.json is out of date: run `npm run build` and commit it.\n')
      process.exitCode = 1
    } else {
      await writeFile(manifestFile, built)
    }
  }
} finally {
  await rm(staging, { recursive: true, force: true })
}
