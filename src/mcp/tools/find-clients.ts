/** Finds Clients by id or by the integrator's own id; by name or e-mail address where these may be shown. */
import * as z from 'zod'
import type { Client } from '../../contract/clients.ts'
import { BankText, bankText } from '../bank-text.ts'
import { Cursor, NextCursor, readRows } from '../paging.ts'
import { tool } from '../tool.ts'

const Row = z.object({ id: z.string(), external_id: z.string().optional(), person: BankText.optional() })

export const findClients = tool({
  name: 'find_clients',
  title: 'Find clients',
  description:
    'The end-users whose banks are linked, by id or external_id, with --pii also by name or e-mail address; all without a text.',
  input: {
    text: z.string().max(200).optional().describe('Part of one of these'),
    cursor: Cursor,
  },
  output: { clients: z.array(Row), next_cursor: NextCursor },
  scopes: ['read:clients'],
  async run({ api, signal, pii }, { text, cursor }) {
    const wanted = text?.toLowerCase()
    const has = ({ id, external_id, name, email }: Client) =>
      // What is not shown could be guessed letter by letter.
      [id, external_id, ...(pii ? [name, email] : [])].some((field) =>
        field?.toLowerCase().includes(wanted ?? ''),
      )
    const { rows, next_cursor, cursorAfter } = await readRows<Client>({
      list: (page) => api.clients.list(page, { signal }),
      cursor,
      accept: wanted === undefined ? undefined : has,
    })
    return {
      data: {
        clients: rows.map(({ id, external_id, name, email }) => ({
          ...{ id, external_id },
          ...(pii ? { person: bankText({ name, email }) } : {}),
        })),
        next_cursor,
      },
      cut: { key: 'clients', cursorAfter },
    }
  },
})
