/**
 * The part of the program that runs a command or reports a failure. In the build it is one CommonJS file, which help
 * and the version never load; each module in it is evaluated when it is imported here.
 */
import type { Interfaces } from '@oclif/core'
import type { BaseCommand } from './command/base-command.ts'

export interface CommandClass {
  id: string
  new (argv: string[], config: Interfaces.Config): BaseCommand<never>
}

/** The command of these words, which there has to be. esbuild puts every module that matches into the bundle. */
export const loadCommand = (words: readonly string[]): Promise<{ default: CommandClass }> =>
  import(`../commands/${words.join('/')}.ts`)

export const loadUnknownCommand = () => import('./errors/unknown-command.ts')

/** Knows the whole contract. */
export const loadFailureReport = () => import('./errors/report.ts')
