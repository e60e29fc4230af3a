/** Writes docs/openapi.yaml, what `bankapi openapi` makes the same document from, and the types of the client. */
import { openApiDocument } from '../../src/openapi/document.ts'
import type { Recorded } from '../../src/openapi/facts.ts'
import { renderDocument } from '../../src/output/document.ts'
import { clientTypes, eventTypesOf } from './client-types.ts'
import { contractComments } from './contract-comments.ts'
import { recordedExamples } from './openapi-examples.ts'

/** All of them, by their paths below docs/. */
export async function openApiPages(): Promise<Record<string, string>> {
  const examples = await recordedExamples()
  const { document, used } = withComments(examples)
  return {
    '../src/openapi/recorded.json': `${JSON.stringify({ comments: used, ...examples }, null, 2)}\n`,
    '../src/client/events.ts': await eventTypesOf(document),
    '../src/client/service.ts': await clientTypes(document),
    'openapi.yaml': await renderDocument(document, { format: 'yaml', terminal: false }),
  }
}

/** The document, and the comments that are in it. */
function withComments(examples: Omit<Recorded, 'comments'>) {
  const used: Record<string, string> = {}
  const comments = new Proxy(contractComments(), {
    get(all, path: string) {
      const comment = all[path]
      if (comment !== undefined) used[path] = comment
      return comment
    },
  })
  return { document: openApiDocument({ version: '3.1' }, { comments, ...examples }), used }
}
