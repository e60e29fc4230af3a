/** Which Connections need somebody, over all Clients: the operator's morning. */
import * as z from 'zod'
import { clientConnections } from '../../workflows/client-connections.ts'
import { Limiter } from '../../workflows/limiter.ts'
import { actors, STALE_AFTER_MS, triage } from '../../workflows/triage.ts'
import { BankText, bankText } from '../bank-text.ts'
import { NextCursor, NumberCursor, PAGE_ROWS } from '../paging.ts'
import { tool } from '../tool.ts'

const Row = z.object({
  connection_id: z.string(),
  client_id: z.string(),
  client_external_id: z.string().optional(),
  status: z.string(),
  since: z.string().optional(),
  code: z.string().optional(),
  who_can_act: z.string(),
  stale_accounts: z.int(),
  next: z.string().describe('Command for a person to run'),
  bank_text: BankText.optional(),
})

export const triageConnections = tool({
  name: 'triage_connections',
  title: 'Connections that need somebody',
  description:
    'Every connection that does not work or has had no fresh data for two days, the worst first: since when, why, and who can act. Counts come first, of all.',
  input: {
    client_ids: z.array(z.string().max(200)).min(1).max(100).optional().describe('Only of these clients'),
    who_can_act: z.enum(actors).optional(),
    cursor: NumberCursor,
  },
  output: {
    checked: z.int(),
    need_somebody: z.int(),
    by_actor: z.record(z.string(), z.int()),
    not_read: z.array(z.string()).describe('Clients that could not be read'),
    connections: z.array(Row),
    next_cursor: NextCursor,
  },
  scopes: ['read:clients', 'read:connections', 'read:accounts'],
  async run({ api, clock, signal, command, progress }, { client_ids: clients, who_can_act: actor, cursor }) {
    const notRead: string[] = []
    const source = clientConnections(api, {
      ...{ clients, clock, signal },
      limiter: new Limiter({ clock, concurrency: 16 }),
      keepGoing: true,
      onFailure: ({ client }) => notRead.push(client.id),
    })
    const { data, checked } = await triage(counted(source, progress), {
      staleAfterMs: STALE_AFTER_MS,
      command,
    })
    const found = data.filter(({ who_can_act }) => actor === undefined || who_can_act === actor)
    const start = Number(cursor ?? 0)
    const rows = found.slice(start, start + PAGE_ROWS)
    const end = start + rows.length
    return {
      data: {
        checked,
        need_somebody: data.length,
        by_actor: Object.fromEntries(
          actors.map((who) => [who, data.filter(({ who_can_act }) => who_can_act === who).length]),
        ),
        not_read: notRead.slice(0, PAGE_ROWS),
        connections: rows.map(({ institution_name, reason, stale_accounts, source: _, ...row }) => ({
          ...row,
          stale_accounts: stale_accounts.length,
          bank_text: bankText({ institution: institution_name, reason }),
        })),
        next_cursor: end < found.length ? String(end) : undefined,
      },
      cut: { key: 'connections', cursorAfter: (count) => String(start + count) },
    }
  },
})

async function* counted<Item>(
  items: AsyncIterable<Item>,
  progress: (done: number) => void,
): AsyncGenerator<Item> {
  let done = 0
  for await (const item of items) {
    yield item
    done += 1
    progress(done)
  }
}
