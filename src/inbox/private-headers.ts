/** A header as it stood on the wire. */
export type HeaderPair = readonly [name: string, value: string]

/** Stands in the place of a value that was not kept. */
const notKept = '[not kept]'

/** Names of headers that carry a credential. The deliveries' own signatures are none: they open nothing. */
const credential = /authorization|authenticat|cookie|token|secret|passw|credential|api-?key|session/i

/** The headers without what could be used by whoever reads the inbox. Names stay: their presence may matter. */
export function withoutCredentials(headers: readonly HeaderPair[]): HeaderPair[] {
  return headers.map(([name, value]) => [name, credential.test(name) ? notKept : value])
}

/** The headers whose values are there. */
export function withValues(headers: readonly HeaderPair[]): HeaderPair[] {
  return headers.filter(([, value]) => value !== notKept)
}
