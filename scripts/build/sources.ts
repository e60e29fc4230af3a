/**
 * The sources of a build, by the hash of their contents: the build records them in dist/sources.json, and the tests of
 * the built program compare. Contents, because a checkout or an unpacked archive changes the times of files.
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

/** To be called before anything is read: what is saved during a build counts as changed since. */
export function recordSources(root: string, dist: string): void {
  mkdirSync(dist, { recursive: true })
  writeFileSync(join(dist, 'sources.json'), JSON.stringify(hashes(root)))
}

/** Why `dist` is not the build of the sources as they are now, as a sentence; undefined when it is. */
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
