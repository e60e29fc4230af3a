/** The story of one Connection: its status and why, what it gives, its accounts, its operations and deliveries known here. */
import * as z from 'zod'
import { items } from '../../api/pages.ts'
import type { Account } from '../../contract/accounts.ts'
import type { Connection } from '../../contract/connections.ts'
import { pageSize } from '../../contract/service.ts'
import { BankapiError } from '../../errors.ts'
import type { Delivery } from '../../inbox/delivery-rows.ts'
import type { Inbox } from '../../inbox/inbox.ts'
import { judge, STALE_AFTER_MS } from '../../workflows/triage.ts'
import type { Call } from '../assistant.ts'
import { BankText, bankText } from '../bank-text.ts'
import { names, newestDeliveries, outcomeOf } from '../recorded-deliveries.ts'
import { tool } from '../tool.ts'

const MAX_EVENTS = 10
/** The newest deliveries, in which those of the Connection are looked for. */
const MAX_SEARCHED = 1000

const Event = z.object({ at: z.string(), what: z.string(), id: z.string(), outcome: z.string() })

export const getConnection = tool({
  name: 'get_connection',
  title: "A connection's story",
  description:
    'One connection: status, why, who can act, what it provides, freshness of its accounts, and the operations and webhook deliveries of it that this machine recorded.',
  input: { connection_id: z.string().max(200) },
  output: {
    id: z.string(),
    client_id: z.string().optional(),
    source: z.string(),
    status: z.string(),
    created_at: z.string(),
    updated_at: z.string(),
    last_refreshed_at: z.string().optional(),
    error_code: z.string().optional(),
    needs: z
      .object({ since: z.string().optional(), who_can_act: z.string(), next: z.string() })
      .optional()
      .describe('Absent when it works'),
    capabilities: z.record(z.string(), z.string()),
    accounts: z
      .array(z.object({ id: z.string(), type: z.string(), last_refreshed_at: z.string().optional() }))
      .optional(),
    events: z.array(Event).describe('Newest first'),
    bank_text: BankText.optional(),
  },
  scopes: ['read:connections'],
  async run(call, { connection_id }) {
    const { api, signal, now, command } = call
    const connection = await api.connections.get({ connection_id }, { signal })
    const accounts = await accountsOf(call, connection)
    const judgement = judge(connection, {
      accounts,
      stale: { now: now(), afterMs: STALE_AFTER_MS },
      command,
    })
    const { id, client_id, source, status, created_at, updated_at, last_refreshed_at, last_error } =
      connection
    return {
      data: {
        ...{ id, client_id, source, status, created_at, updated_at, last_refreshed_at },
        error_code: last_error?.code,
        needs: judgement && {
          since: judgement.since,
          who_can_act: judgement.who_can_act,
          next: judgement.next,
        },
        capabilities: Object.fromEntries(
          Object.entries(connection.realized_capabilities ?? {}).map(([name, seen]) => [
            name,
            seen?.status ?? 'unknown',
          ]),
        ),
        accounts: accounts
          ?.slice(0, 50)
          .map(({ id, type, last_refreshed_at }) => ({ id, type, last_refreshed_at })),
        events: await eventsOf(call, connection),
        bank_text: bankText({
          institution: connection.institution.name,
          error: last_error?.message,
          reason: judgement?.reason,
        }),
      },
    }
  },
})

/** Undefined where the key may not read them. */
async function accountsOf(
  { api, signal }: Call,
  { id, client_id }: Connection,
): Promise<Account[] | undefined> {
  if (client_id === undefined) return undefined
  const input = { client_id, connection_id: id, limit: pageSize.max }
  try {
    return await Array.fromAsync(items(api.accounts.list, input, { signal }))
  } catch (error) {
    if (error instanceof BankapiError && error.code === 'insufficient_scope') return undefined
    throw error
  }
}

/** What this machine recorded of it, newest first. */
async function eventsOf(
  { environment, openInbox }: Call,
  { id }: Connection,
): Promise<z.input<typeof Event>[]> {
  const inbox = await openInbox()
  const operations = (await inbox.operations.list({ environment: environment.name }))
    .filter(({ subject }) => subject === id)
    .slice(0, MAX_EVENTS)
    .map((operation) => ({
      at: new Date(operation.startedAt).toISOString(),
      what: operation.type ?? 'operation',
      id: operation.id,
      outcome: operation.status,
    }))
  const deliveries = (await deliveriesOf(inbox, environment.name, id)).map((delivery) => ({
    at: new Date(delivery.receivedAt).toISOString(),
    what: delivery.type ?? 'webhook',
    id: delivery.eventId ?? String(delivery.id),
    outcome: outcomeOf(delivery),
  }))
  const events = [...operations, ...deliveries].toSorted(
    (one, other) => Date.parse(other.at) - Date.parse(one.at),
  )
  return events.slice(0, MAX_EVENTS)
}

async function deliveriesOf(inbox: Inbox, environment: string, id: string): Promise<Delivery[]> {
  const found: Delivery[] = []
  let searched = 0
  for await (const delivery of newestDeliveries(inbox, { environment })) {
    if (names(delivery, id)) found.push(delivery)
    searched += 1
    if (found.length === MAX_EVENTS || searched === MAX_SEARCHED) break
  }
  return found
}
