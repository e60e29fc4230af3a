/** The way in: runs oclif and turns whatever goes wrong into one message on stderr and a documented exit code. */
import { flush, type Interfaces, run } from '@oclif/core'
import { reportFailure } from './failure-report.ts'

/**
 * Runs one command. `loadOptions` is given by bin/dev.js only.
 * Sets `process.exitCode`; returns when everything is written.
 */
export async function main(
  argv: string[],
  rootUrl: string,
  loadOptions?: Interfaces.LoadOptions,
): Promise<void> {
  try {
    await run(argv, loadOptions ?? rootUrl)
    await flush()
  } catch (error) {
    process.exitCode = reportFailure(error, argv, process)
  }
}
