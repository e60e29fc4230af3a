/** Webhook deliveries that this machine recorded, the newest first; of one of them, why it failed. */
import * as z from 'zod'
import { BankapiError } from '../../errors.ts'
import type { Delivery } from '../../inbox/delivery-rows.ts'
import { BankText } from '../bank-text.ts'
import { Explained, explainDelivery } from '../explained-delivery.ts'
import { NextCursor, PAGE_ROWS } from '../paging.ts'
import {
  claimsOf,
  knownType,
  nameOf,
  names,
  newestDeliveries,
  outcomeOf,
  subjectsOf,
} from '../recorded-deliveries.ts'
import { type OrNull, tool } from '../tool.ts'

/** The newest deliveries, in which those that name an id are looked for. */
const MAX_SEARCHED = 2000

const Row = z.object({
  id: z.string(),
  at: z.string(),
  type: z.string().optional(),
  outcome: z.string(),
  attempts: z.int(),
  about: z.array(z.string()),
  bank_text: BankText.optional(),
})

export const listDeliveries = tool({
  name: 'list_deliveries',
  title: 'Webhook deliveries',
  description:
    'Webhook deliveries recorded on this machine, newest first: verified or refused, and what the target answered; counts first. With id one event in full: why it failed, every answer, headers without secrets, the body.',
  input: {
    id: z.string().max(200).optional().describe('Event id or number: explains this one'),
    failed: z.boolean().optional().describe('Refused, or accepted by no target'),
    type: z.string().max(100).optional().describe('connection.failed or connection.*'),
    since: z.string().max(40).optional().describe('ISO 8601'),
    about: z.string().max(200).optional().describe('An id that they name'),
    cursor: z
      .string()
      .regex(/^\d{1,15}$/)
      .optional(),
  },
  output: {
    totals: z.object({ received: z.int(), refused: z.int(), not_accepted: z.int() }).optional(),
    deliveries: z.array(Row).optional(),
    next_cursor: NextCursor,
    explained: Explained.optional(),
  },
  scopes: [],
  async run(call, { id, failed, type, since, about, cursor }) {
    if (id !== undefined) return { data: { explained: await explainDelivery(call, id) } }
    const { environment, openInbox } = call
    const inbox = await openInbox()
    const filter = {
      environment: environment.name,
      type,
      failed: failed === true ? (true as const) : undefined,
      since: since === undefined ? undefined : timeOf(since),
      before: cursor === undefined ? undefined : Number(cursor),
    }
    const found: Outcome[] = []
    const rows: Delivery[] = []
    let searched = 0
    let last: number | undefined
    let searchedTo: string | undefined
    for await (const delivery of newestDeliveries(inbox, filter)) {
      if (about !== undefined && ++searched > MAX_SEARCHED) {
        searchedTo = String(last)
        break
      }
      last = delivery.id
      if (about !== undefined && !names(delivery, about)) continue
      if (rows.length <= PAGE_ROWS) rows.push(delivery)
      else if (about === undefined) break
      if (delivery.replayOf === undefined) found.push(endOf(delivery))
    }
    const shown = rows.slice(0, PAGE_ROWS)
    const ends = about === undefined && cursor === undefined ? await inbox.deliveries.outcomes(filter) : found
    const cursorAfter = (count: number) => String(shown[count - 1]?.id)
    return {
      data: {
        // Of all, with the first rows.
        totals: cursor === undefined ? totalsOf(ends) : null,
        deliveries: shown.map(rowOf),
        next_cursor: rows.length > PAGE_ROWS ? cursorAfter(PAGE_ROWS) : searchedTo,
      },
      cut: { key: 'deliveries', cursorAfter },
    }
  },
})

/** Unix ms. @throws BankapiError */
function timeOf(text: string): number {
  const time = Date.parse(text)
  if (!Number.isNaN(time)) return time
  throw new BankapiError('since is no point in time', {
    code: 'invalid_time',
    exit: 'usage',
    hint: 'Write it as 2026-01-31T08:00:00Z',
  })
}

interface Outcome {
  readonly verified: boolean
  readonly target: 'accepted' | 'failed' | 'nowhere'
}

function endOf({ verified, forwardTo, forwards }: Delivery): Outcome {
  const accepted = forwards.some(({ status = 0 }) => status >= 200 && status < 300)
  const wanted = forwardTo !== undefined || forwards.length > 0
  return { verified, target: accepted ? 'accepted' : wanted ? 'failed' : 'nowhere' }
}

function totalsOf(ends: readonly Outcome[]) {
  return {
    received: ends.length,
    refused: ends.filter(({ verified }) => !verified).length,
    not_accepted: ends.filter(({ target }) => target === 'failed').length,
  }
}

function rowOf(delivery: Delivery): OrNull<z.input<typeof Row>> {
  return {
    id: nameOf(delivery),
    at: new Date(delivery.receivedAt).toISOString(),
    type: knownType(delivery),
    outcome: outcomeOf(delivery),
    attempts: delivery.forwards.length,
    about: subjectsOf(delivery),
    bank_text: claimsOf(delivery),
  }
}
