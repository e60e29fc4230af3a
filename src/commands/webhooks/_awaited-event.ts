/** Waits for a delivery in the inbox that fits: by type, and by a jq expression over the event. */

import { UsageError } from '../../cli/errors/errors.ts'
import type { Delivery } from '../../inbox/delivery-rows.ts'
import type { Inbox } from '../../inbox/open.ts'
import { matchesJq } from '../../output/formats/jq.ts'
import { OutputError } from '../../output/output-error.ts'

export interface Awaited {
  /** A type, or a pattern in which `*` stands for any text. */
  readonly type: string
  /** True for the event when any result of it is neither false nor null. */
  readonly where: string | undefined
  readonly environment: string | undefined
  /** Unix milliseconds: those received since then count, too. */
  readonly since: number | undefined
}

export interface Watched {
  readonly found: Delivery | undefined
  /** Those that came and do not fit. */
  readonly others: readonly Delivery[]
}

/** Most other deliveries that are remembered, for the sentence about them. */
const MOST_OTHERS = 1000

/** Most deliveries before the start that are looked at. */
const MOST_BEFORE = 10_000

/**
 * The first verified delivery that fits; replays from this machine count as none. Ends without one when the signal
 * aborts. @throws UsageError for a jq expression that does not compile.
 */
export async function awaitDelivery(
  { deliveries }: Pick<Inbox, 'deliveries'>,
  awaited: Awaited,
  signal: AbortSignal,
): Promise<Watched> {
  if (awaited.where !== undefined) await compiles(awaited.where)
  const { watchDeliveries } = await import('../../inbox/deliveries.ts')
  const from = startOf(deliveries, awaited.since)
  const others: Delivery[] = []
  for await (const delivery of watchDeliveries(deliveries, { signal, after: from, intervalMs: 50 })) {
    if (delivery.replayOf !== undefined) continue
    if (awaited.environment !== undefined && delivery.environment !== awaited.environment) continue
    if (await fits(delivery, awaited)) return { found: delivery, others }
    if (others.length < MOST_OTHERS) others.push(delivery)
  }
  return { found: undefined, others }
}

/** The id behind which deliveries count. */
function startOf(deliveries: Inbox['deliveries'], since: number | undefined): number {
  const last = deliveries.lastId()
  if (since === undefined) return last
  const first = deliveries.list({ since, limit: MOST_BEFORE })[0]
  return first === undefined ? last : first.id - 1
}

async function fits(delivery: Delivery, { type, where }: Awaited): Promise<boolean> {
  if (!delivery.verified || delivery.type === undefined || !matches(type, delivery.type)) return false
  if (where === undefined) return true
  try {
    const event: unknown = JSON.parse(new TextDecoder().decode(delivery.body))
    return await matchesJq(event, where)
  } catch {
    // The expression fails on this event, or it is no JSON: another may fit.
    return false
  }
}

async function compiles(program: string): Promise<void> {
  try {
    await matchesJq({}, program)
  } catch (error) {
    if (!(error instanceof OutputError)) throw error
    // One that fails on an empty object may be right for an event.
    if (error.code !== 'jq_failed') throw new UsageError(error.message.replace('--jq', '--where'))
  }
}

function matches(pattern: string, type: string): boolean {
  return new RegExp(`^${pattern.split('*').map(RegExp.escape).join('.*')}$`).test(type)
}
