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
import { join, resolve } from 'node:path'
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
const every = `There are: ${targets.map(({ name }) => name).join(', ')}`
const megabytes = (file: string) => `${(statSync(file).size / 1e6).toFixed(1)} MB`

/** @throws Error for a name that is no target. */
function wantedTargets(host: Target): readonly Target[] {
  if (options.all) return targets
  const names = positionals.length > 0 ? positionals : [host.name]
  const unknown = names.find((name) => !targets.some((target) => target.name === name))
  if (unknown !== undefined) throw new Error(`There is no target ${unknown}. ${every}`)
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

/** Makes everything in the folder `staging`. */
async function makeAll(
  host: Target,
  chosen: readonly Target[],
  staging: string,
  scratch: string,
): Promise<void> {
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
  const licenses = await licensesOfExecutable(root, host, scratch, contents.packages)
  writeFileSync(join(staging, 'LICENSES.txt'), licenses)
  copyFileSync(join(root, 'install.sh'), join(staging, 'install.sh'))
  const sums: string[] = []
  for (const name of readdirSync(staging).sort()) sums.push(`${await sha256(join(staging, name))}  ${name}\n`)
  writeFileSync(join(staging, 'SHA256SUMS'), sums.join(''))
}

async function main(): Promise<void> {
  const host = hostTarget()
  if (host === undefined) throw new Error(`Executables cannot be made on this system. ${every}`)
  const chosen = wantedTargets(host)
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
    mkdirSync(staging, { recursive: true })
    await makeAll(host, chosen, staging, scratch)
    replaceFolder(output, staging)
  } finally {
    removeUnfinished()
  }
}

try {
  await main()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
}
