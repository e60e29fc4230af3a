/** Ties the schema of a command's JSON output to the type that the command returns. */
import type { z } from 'zod'
import type { BaseCommand } from '../../src/cli/command/base-command.ts'

/** Describes what a command prints under `--json`. */
export interface JsonOutput {
  readonly schema: z.ZodType
  /** One document per line, for as long as the command runs. */
  readonly perLine?: boolean
}

type Printed<C> = C extends BaseCommand<infer _Class, infer Result> ? Exclude<Result, undefined> : never

/**
 * A schema for what the command's `execute` returns. One that is wider than that type, or different from it, does not
 * compile.
 */
export function shape<C>(schema: z.ZodType<Printed<C>>): JsonOutput {
  return { schema }
}
