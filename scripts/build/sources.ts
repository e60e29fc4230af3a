/**
 * Records hashes of a build's sources in dist/sources.json, so that tests of the built program can refuse a stale one. Hashes,
 * because a checkout or an unpacked archive changes the times of files.
 */
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const patterns = ['{src,scripts/build}/**/*.*', 'scripts/build.ts', 'package.json', 'package-lock.json']

function hashes(root: string): Record<string, string> {
  const files = globSync(patterns, { cwd: root, exclude: ['**/*.test.{ts,tsx}'] }).sort()
  const hash = (file: string) =>
    createHash('sha256')
      .update(readFileSync(join(root, file)))
      .digest('base64')
  return Object.fromEntries(files.map((file) => [file, hash(file)]))
}

/** Call it before anything is read: then a file that is saved during the build counts as changed. */
export function recordSources(root: string, dist: string): void {
  mkdirSync(dist, { recursive: true })
  writeFileSync(join(dist, 'sources.json'), JSON.stringify(hashes(root)))
}

/** A sentence that says why `dist` is not the build of the current sources; undefined when it is. */
export function staleBuild(root: string, dist: string): string | undefined {
  const record = join(dist, 'sources.json')
  if (!existsSync(record)) return 'dist/ is missing: run `npm run build`'
  const built = JSON.parse(readFileSync(record, 'utf8')) as Record<string, string>
  const now = hashes(root)
  const changed = Object.keys(now).find((file) => now[file] !== built[file])
  if (changed !== undefined) return `dist/ is older than ${changed}: run \`npm run build\``
  const gone = Object.keys(built).find((file) => now[file] === undefined)
  return gone && `dist/ was built with ${gone}, which is gone: run \`npm run build\``
}
