/** Puts the contract's own words about a field into its schema. */
import type { Json } from './json.ts'

/** Doc comments of the contract, by path: `Account`, `Account.current_balance`. */
export type Comments = Readonly<Record<string, string>>

/** The schema with the comments at `path` and, for its fields, at `path.field`, as descriptions. */
export function describe(schema: Json, path: string, comments: Comments): Json {
  const description = schema['description'] ?? comments[path]
  const { description: _old, ...rest } = inside(schema, path, comments)
  return description === undefined ? rest : { description, ...rest }
}

/** Items and alternatives have the path of what they are in, which has its description. */
function inside(schema: Json, path: string, comments: Comments): Json {
  const { properties, items, anyOf, ...rest } = schema
  const part = (one: Json) => inside(one, path, comments)
  return {
    ...rest,
    ...(properties === undefined ? {} : { properties: fieldsOf(properties as Json, path, comments) }),
    ...(items === undefined ? {} : { items: part(items as Json) }),
    ...(anyOf === undefined ? {} : { anyOf: (anyOf as Json[]).map(part) }),
  }
}

function fieldsOf(fields: Json, path: string, comments: Comments): Json {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      describe(field as Json, `${path}.${name}`, comments),
    ]),
  )
}
