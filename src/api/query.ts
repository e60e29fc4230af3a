/** Query strings: undefined and null are left out, an array repeats its name. */

export type QueryValue = string | number | boolean | null | undefined
export type Query = Readonly<Record<string, unknown>>

/** `?a=1&b=2`, or the empty string when nothing is left. */
export function queryString(query: Query): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null) search.append(name, String(one))
    }
  }
  const text = search.toString()
  return text === '' ? '' : `?${text}`
}
