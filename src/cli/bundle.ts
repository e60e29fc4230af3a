/**
 * The part of the program that runs a command or reports a failure. In the build it is one CommonJS file, which help
 * and the version never load; each module in it is evaluated when it is imported here.
 */
import type { Command, Interfaces } from '@oclif/core'

export interface CommandClass {
  id: string
  new (argv: string[], config: Interfaces.Config): Command
}

/** The command of these words, which there has to be. esbuild puts every module that matches into the bundle. */
export const loadCommand = (words: readonly string[]): Promise<{ default: CommandClass }> =>
  import(`../commands/${words.join('/')}.ts`)

export const loadUnknownCommand = () => import('./unknown-command.ts')

/** Knows the whole contract. */
export const loadFailureReport = () => import('./failure-report.ts')
