/** Gets packages of the npm registry with `npm pack`, and keeps their archives in node_modules/.cache. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { PinnedPackage } from './targets.ts'

/**
 * Unpacks a package into `folder`: the folders and files `wanted`, or all. An archive in the cache that is not the pinned
 * one is downloaded again; a downloaded one that is not ends the build.
 */
export function unpackPackage(
  root: string,
  wanted: PinnedPackage,
  folder: string,
  files: readonly string[] = [],
): void {
  const archive = archiveOf(root, wanted)
  mkdirSync(folder, { recursive: true })
  const members = files.map((file) => `package/${file}`)
  run('tar', ['-xzf', archive, '-C', folder, '--strip-components=1', ...members])
}

function archiveOf(root: string, { name, version, integrity }: PinnedPackage): string {
  const cache = join(root, 'node_modules/.cache/bankapi-executable')
  const archive = join(cache, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`)
  if (existsSync(archive) && integrityOf(archive) === integrity) return archive
  mkdirSync(cache, { recursive: true })
  const download = mkdtempSync(join(cache, 'download-'))
  try {
    process.stdout.write(`Downloading ${name} ${version}\n`)
    run('npm', ['pack', `${name}@${version}`, '--loglevel=error', '--pack-destination', download])
    const [file = ''] = readdirSync(download)
    const fresh = join(download, file)
    if (integrityOf(fresh) !== integrity) {
      throw new Error(`${name} ${version} of the registry is not the package whose hash is pinned here`)
    }
    renameSync(fresh, archive)
    return archive
  } finally {
    rmSync(download, { recursive: true, force: true })
  }
}

function integrityOf(file: string): string {
  return `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`
}

/** Runs a program to its end. @throws Error with what it wrote when it fails. */
export function run(program: string, args: readonly string[]): void {
  const shell = process.platform === 'win32' && program === 'npm'
  const { status, error, stderr } = spawnSync(program, args, { encoding: 'utf8', shell })
  if (status !== 0) {
    throw new Error(
      `${program} ${args.slice(0, 2).join(' ')} failed: ${error?.message ?? (stderr.trim() || `exit code ${status}`)}`,
    )
  }
}
