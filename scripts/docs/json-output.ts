import type { z } from 'zod'
import type { BaseCommand } from '../../src/cli/command/base-command.ts'

/** What a command prints under `--json`. */
export interface JsonOutput {
  readonly schema: z.ZodType
  /** One document per line, for as long as the command runs. */
  readonly perLine?: boolean
}

type Printed<C> = C extends BaseCommand<infer _Class, infer Result> ? Exclude<Result, undefined> : never

/**
 * Ties a schema to what the command's `execute` returns: one that says less than the type, or something else, does
 * not compile.
 */
export function shape<C>(schema: z.ZodType<Printed<C>>): JsonOutput {
  return { schema }
}
