/**
 * Gives tests the paths of the built program. Every test that runs it or reads dist/ imports this, directly or through cli.ts
 * and shell.ts; a dist/ that was not built from the current sources fails the test file before its first test.
 */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { staleBuild } from '../../scripts/build/sources.ts'

/** The folder of package.json. */
export const root = fileURLToPath(new URL('../..', import.meta.url))
export const bin = join(root, 'bin/run.js')

const stale = staleBuild(root, join(root, 'dist'))
if (stale !== undefined) {
  // Without a stack every file fails with the same text, and vitest prints it only once.
  throw Object.assign(new Error(stale), { stack: stale })
}
