/** Looks words up in the API's reference, without a request. */
import * as z from 'zod'
import { everyEntry, kinds, matching } from '../reference.ts'
import { tool } from '../tool.ts'

const MAX_MATCHES = 8

export const lookUpReference = tool({
  name: 'look_up_reference',
  title: 'Look up the API reference',
  description:
    "Operations (method, path, scope, fields), error codes with what to do, webhook events with examples, rules such as signatures and pages, and the mirror's tables with their columns.",
  input: {
    words: z.string().max(200).describe('refresh connection; credentials_invalid; ledger'),
    kind: z.enum(kinds).optional(),
  },
  output: {
    found: z.int(),
    matches: z.array(z.object({ kind: z.string(), name: z.string(), text: z.string() })),
  },
  scopes: [],
  async run(_, { words, kind }) {
    const entries = await everyEntry()
    const found = matching(
      kind === undefined ? entries : entries.filter((entry) => entry.kind === kind),
      words,
    )
    return {
      data: {
        found: found.length,
        matches: found.slice(0, MAX_MATCHES).map(({ kind, name, text }) => ({ kind, name, text })),
      },
    }
  },
})
