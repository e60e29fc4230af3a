/** What the document is made from beside the contract. */
import type { Comments } from './descriptions.ts'
import type { Json } from './json.ts'

/** What the contract itself does not hold; `npm run docs` makes it. */
export interface Recorded {
  /** Doc comments of the contract. */
  readonly comments: Comments
  /** Values of path and query parameters, bodies of requests and answers by operation, and error envelopes by code. */
  readonly parameters: Readonly<Record<string, unknown>>
  readonly requests: Readonly<Record<string, unknown>>
  readonly answers: Readonly<Record<string, unknown>>
  readonly refusals: Readonly<Record<string, unknown>>
}

/** What each part of the document is made with. */
export interface Facts extends Recorded {
  /** An Example Object of the version that is written. */
  readonly example: (value: unknown) => Json
}
