/** Runs the program: reads the command line, and turns a failure into one message on stderr and an exit code. */
import { builtPlace } from './built-place.ts'
import { readCommandLine } from './command-line.ts'
import { dispatch } from './dispatch.ts'
import type { Place } from './place.ts'

/**
 * Runs one command. `root` is the folder of package.json; `place` is given by bin/dev.js only, where nothing is built.
 * Sets `process.exitCode`.
 */
export async function main(argv: string[], root: URL, place: Place = builtPlace(root)): Promise<void> {
  const line = readCommandLine(argv)
  try {
    await dispatch(line, place)
  } catch (error) {
    // Knows the whole contract: loaded when there is something to explain, not at every start.
    const { reportFailure } = await import('./errors/report.ts')
    process.exitCode = await reportFailure(error, line, process)
  }
}
