/**
 * The built program. Every test that runs it or reads dist/ gets the path from here, directly or by way of cli.ts and
 * shell.ts; one that is not built from the sources as they are now fails the test file before it tests anything.
 */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { staleBuild } from '../../scripts/build/sources.ts'

/** The folder of package.json. */
export const root = fileURLToPath(new URL('../..', import.meta.url))
export const bin = join(root, 'bin/run.js')

const stale = staleBuild(root, join(root, 'dist'))
if (stale !== undefined) {
  // Without a stack the failure of every file reads the same, and vitest prints it once for all of them.
  throw Object.assign(new Error(stale), { stack: stale })
}
