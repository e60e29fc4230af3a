/** Writes docs/schemas/: a JSON Schema for what each command prints under `--json`, and one for errors. */
import { z } from 'zod'
import { ApiError } from '../../src/contract/errors.ts'
import type { ErrorReport } from '../../src/output/error-text.ts'
import { jsonOutputs } from './output-schemas.ts'

/** Path of a command's schema below docs/schemas/. */
export function schemaFile(words: string): string {
  return `${words.replaceAll(' ', '-')}.json`
}

/** Every schema, by its path below docs/. */
export function schemaPages(): Record<string, string> {
  const ofCommands = Object.entries(jsonOutputs()).map(([words, { schema, perLine }]) => {
    const title = `bankapi ${words} --json`
    const description = perLine ? 'Each line of stdout.' : 'The document on stdout.'
    return [`schemas/${schemaFile(words)}`, page(schema, title, description)] as const
  })
  const ofErrors = page(
    z.strictObject({ error: reported }),
    'An error under --json',
    'The document on stderr, on one line.',
  )
  return Object.fromEntries([...ofCommands, ['schemas/error.json', ofErrors]])
}

const reported: z.ZodType<ErrorReport> = z.strictObject({
  code: z.string(),
  message: z.string(),
  service_message: z.string().optional(),
  type: z.string().optional(),
  category: z.string().optional(),
  http_status: z.number().int().nullish(),
  trace_id: z.string().optional(),
  doc_url: z.string().optional(),
  param: z.string().optional(),
  errors: ApiError.shape.errors,
  accounts: z.array(z.unknown()).optional(),
  hint: z.string().optional(),
  exit_code: z.number().int(),
})

function page(schema: z.ZodType, title: string, description: string): string {
  const { $schema, ...rest } = z.toJSONSchema(schema, { unrepresentable: 'any' })
  return `${JSON.stringify({ $schema, title, description, ...rest }, null, 2)}\n`
}
