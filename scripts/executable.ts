/**
 * `npm run executable`: single files with Node and the whole program, in executables/.
 *
 *   npm run executable                              for this machine
 *   npm run executable -- linux-arm64 win-x64       for these systems
 *   npm run executable -- --all                     for every system
 *   npm run executable -- --uncompressed            without the .xz files, which take half a minute each
 *
 * Beside each: its .xz, its parts as a CycloneDX document, and for all of them LICENSES.txt, install.sh and SHA256SUMS. A run
 * replaces the whole folder at its end; one that fails leaves it as it was. dist/ has to be built: `npm run executable` does.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { staleBuild } from './build/sources.ts'
import { contentsOf } from './executable/contents.ts'
import { licensesOfExecutable, partsOf } from './executable/documents.ts'
import { make, unpackNode } from './executable/make.ts'
import { run } from './executable/npm-package.ts'
import { hostTarget, type Target, targets } from './executable/targets.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    all: { type: 'boolean', default: false },
    uncompressed: { type: 'boolean', default: false },
    // For tests, which leave executables/ alone.
    to: { type: 'string', default: join(root, 'executables') },
  },
})

const say = (line: string) => process.stdout.write(`${line}\n`)
const megabytes = (file: string) => `${(statSync(file).size / 1e6).toFixed(1)} MB`

function wantedTargets(): readonly Target[] {
  if (options.all) return targets
  const names = positionals.length > 0 ? positionals : [host.name]
  const unknown = names.find((name) => !targets.some((target) => target.name === name))
  if (unknown !== undefined) {
    throw new Error(`there is no target ${unknown}: ${targets.map(({ name }) => name).join(', ')}`)
  }
  return targets.filter(({ name }) => names.includes(name))
}

async function sha256(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

/** Compresses with the system's xz; returns false where there is none. */
function compress(file: string): boolean {
  const { status, error, stderr } = spawnSync('xz', ['--keep', file], {
    encoding: 'utf8',
  })
  if ((error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') return false
  if (status !== 0) throw new Error(`xz failed: ${error?.message ?? stderr.trim()}`)
  return true
}

function replaceFolder(folder: string, fresh: string): void {
  const old = `${fresh}-old`
  if (existsSync(folder)) renameSync(folder, old)
  renameSync(fresh, folder)
  rmSync(old, { recursive: true, force: true })
}

const thisMachine = hostTarget()
if (thisMachine === undefined) {
  throw new Error(
    `executables are made on ${targets.map(({ name }) => name).join(', ')}; this is another system`,
  )
}
const host = thisMachine
const chosen = wantedTargets()
const stale = staleBuild(root, join(root, 'dist'))
if (stale !== undefined) throw new Error(stale)

const output = resolve(options.to)
const staging = `${output}.tmp-${process.pid}`
const scratch = mkdtempSync(join(tmpdir(), 'bankapi-executable-'))
const removeUnfinished = () => {
  for (const folder of [staging, scratch]) rmSync(folder, { recursive: true, force: true })
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    removeUnfinished()
    process.exit(1)
  })
}
try {
  mkdirSync(dirname(output), { recursive: true })
  mkdirSync(staging)
  const contents = await contentsOf(root)
  const builder = unpackNode(root, host, scratch)
  let withXz = !options.uncompressed
  for (const target of chosen) {
    const file = join(staging, target.file)
    for (const remark of make(target, { root, scratch, contents, builder, output: file })) say(remark)
    if (target === host) run(file, ['--version'])
    writeFileSync(`${file}.cdx.json`, partsOf(root, target, contents.packages))
    if (withXz && !compress(file)) {
      say('There are no .xz files: xz is not installed (apt-get install xz-utils).')
      withXz = false
    }
    say(`${target.file}: ${megabytes(file)}${withXz ? `, ${megabytes(`${file}.xz`)} as .xz` : ''}`)
  }
  writeFileSync(
    join(staging, 'LICENSES.txt'),
    await licensesOfExecutable(root, host, scratch, contents.packages),
  )
  copyFileSync(join(root, 'install.sh'), join(staging, 'install.sh'))
  const sums: string[] = []
  for (const name of readdirSync(staging).sort()) sums.push(`${await sha256(join(staging, name))}  ${name}\n`)
  writeFileSync(join(staging, 'SHA256SUMS'), sums.join(''))
  replaceFolder(output, staging)
} finally {
  removeUnfinished()
}
