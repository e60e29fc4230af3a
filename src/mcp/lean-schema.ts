/** Describes schemas in few words: an assistant reads the schemas of every tool at its start. */
import type * as z from 'zod'

type JsonSchema = Readonly<Record<string, unknown>>

export type LeanSchema = ReturnType<typeof lean>

/** Validates as the schema does, and leaves out of its JSON Schema what is the default or tells an assistant nothing. */
export function lean(schema: z.ZodObject) {
  const { '~standard': standard } = schema
  const { input, output } = standard.jsonSchema
  return {
    '~standard': {
      ...standard,
      jsonSchema: {
        input: (options: Parameters<typeof input>[0]) => shortened(input(options)),
        output: (options: Parameters<typeof output>[0]) => shortened(output(options)),
      },
    },
  }
}

const omitted = new Set(['$schema', 'propertyNames'])

function shortened(schema: JsonSchema): JsonSchema {
  const entries = Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
    if (omitted.has(key) || isDefault(key, value)) return []
    if (key === 'properties') return [[key, mapValues(value as Readonly<Record<string, JsonSchema>>)]]
    if (key === 'items' || key === 'additionalProperties') return [[key, shortened(value as JsonSchema)]]
    // Some clients know one type alone.
    if (key === 'type' && Array.isArray(value)) return [['anyOf', value.map((type) => ({ type }))]]
    return [[key, value]]
  })
  return Object.fromEntries(entries)
}

function mapValues(properties: Readonly<Record<string, JsonSchema>>): Record<string, JsonSchema> {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, shortened(schema)]))
}

/** The bounds of safe integers, and whether there may be more fields, which nobody has to know beforehand. */
function isDefault(key: string, value: unknown): boolean {
  if (key === 'minimum' || key === 'maximum') return !Number.isSafeInteger((value as number) * 2)
  return (
    key === 'additionalProperties' &&
    (typeof value === 'boolean' || Object.keys(value as object).length === 0)
  )
}
