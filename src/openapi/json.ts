/** Any object of the document. */
export type Json = Readonly<Record<string, unknown>>

export function ref(kind: 'schemas' | 'responses' | 'headers' | 'examples', name: string): Json {
  return { $ref: `#/components/${kind}/${name}` }
}
