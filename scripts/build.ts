/**
 * Builds dist/ (the program, its pages of help, and what programs import from the package, with types), the dist/ of each
 * package in packages/, and oclif.manifest.json.
 *
 *   node scripts/build.ts            build, and write the manifest
 *   node scripts/build.ts --check    build, and fail when the committed manifest is not the one just built
 *
 * Everything is written to a temporary folder and moved into place at the end: a failed build leaves the last good dist/
 * as it was.
 */
import { existsSync } from 'node:fs'
import { cp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Interfaces, Plugin, settings } from '@oclif/core'
import { bundle } from './build/bundle.ts'
import { commandsIn } from './build/commands.ts'
import { helpPages, writeHelpPages } from './build/help-pages.ts'
import { writePackages } from './build/packages.ts'
import { recordSources } from './build/sources.ts'
import { emitEmulatorTypes, emitTypes } from './build/types.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')
const manifestFile = join(root, 'oclif.manifest.json')
const stagingName = `dist.tmp-${process.pid}`
const staging = join(root, stagingName)

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
  await emitTypes(root, join(staging, 'types'))
  await emitEmulatorTypes(root, join(staging, 'types'))
  await writeHelpPages(await helpPages(root), staging)
  await moveIntoPlace()
  await writePackages(root)
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
