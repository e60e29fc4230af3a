/** The document with the comments and examples that `npm run docs` recorded. */
import { type DocumentOptions, openApiDocument } from './document.ts'
import type { Json } from './json.ts'
import recorded from './recorded.json' with { type: 'json' }

export { UnusableOverride } from './overridden.ts'

/** @throws UnusableOverride */
export function recordedDocument(options: DocumentOptions): Json {
  return openApiDocument(options, recorded)
}
