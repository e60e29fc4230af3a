/** Dispatches news from the inbox, which every bankapi process writes, and from this process's listener. */
import { InboxError } from '../../inbox/inbox-error.ts'
import { watchDeliveries } from '../../inbox/watch-deliveries.ts'
import type { ListenerEvent } from '../../listener/events.ts'
import { matchesType } from '../../listener/forward-url.ts'
import type { DeliveryFacts } from '../state/delivery-row.ts'
import type { TuiEvent } from '../state/events.ts'
import type { OperationFacts } from '../state/operation-row.ts'
import { factsOfKnown, factsOfReceived, factsOfStored } from './facts.ts'
import type { EffectTools } from './tools.ts'

/** How often the operations in the inbox are read. */
const READ_EVERY_MS = 500
/** How often a database that was lost is asked again. */
const RETRY_EVERY_MS = 2000
/** Shown at the start. Older operations are not watched. */
const MAX_PAST_OPERATIONS = 200
const MAX_PAST_DELIVERIES = 100

export interface SourceOptions extends EffectTools {
  /** Given on the command line. */
  readonly operationIds: readonly string[]
  /** Types to show, `*` standing for any text; undefined shows all. */
  readonly events: readonly string[] | undefined
  /** Whether past operations and deliveries are shown too. */
  readonly history: boolean
}

/** Dispatches what the inbox holds and what is added to it, until the signal aborts. */
export async function watchInbox(options: SourceOptions): Promise<void> {
  await watchOperations(options)
  const { inbox, environment, history, signal, explain, safe, dispatch, clock, events } = options
  let last = await inbox.deliveries.lastId()
  const isShown = ({ type }: { type?: string | undefined }) => isWanted(type, events)
  if (history) {
    const past = (await inbox.deliveries.list({ environment, limit: MAX_PAST_DELIVERIES })).filter(isShown)
    const deliveries = past.map((delivery) => factsOfStored(delivery, safe, clock.now()))
    dispatch({ kind: 'deliveries', deliveries })
  }
  const batch = createBatch((deliveries) => dispatch({ kind: 'deliveries', deliveries }))
  const watch = async () => {
    for await (const delivery of watchDeliveries(inbox.deliveries, { signal, after: last })) {
      last = delivery.id
      if (delivery.environment !== environment || !isShown(delivery)) continue
      batch(factsOfStored(delivery, safe, clock.now()))
    }
  }
  const goOn = async (error: unknown): Promise<void> => {
    dispatch({ kind: 'noticed', text: safe(await explain(error)), ok: false })
    if (!(error instanceof InboxError && error.mayPass)) return
    await clock.sleep(RETRY_EVERY_MS, signal)
    await watch().catch(goOn)
  }
  watch()
    .catch(goOn)
    .catch(() => undefined)
}

/** Converts an event of the listener; undefined for one that is not shown. */
export function tuiEventOf(event: ListenerEvent, safe: (text: string) => string): TuiEvent | undefined {
  switch (event.kind) {
    case 'ready':
      return {
        kind: 'listening',
        url: safe(event.url),
        targets: event.targets.map(safe),
        subscription: event.subscription,
      }
    case 'delivery':
    case 'settled': {
      if (event.delivery.filtered) return undefined
      const settled = event.kind === 'settled' ? event : undefined
      return { kind: 'deliveries', deliveries: [factsOfReceived(event.delivery, safe, settled)] }
    }
    case 'target-up':
      return { kind: 'target', url: safe(event.url), up: true, error: '' }
    case 'target-down':
      return { kind: 'target', url: safe(event.url), up: false, error: safe(event.error) }
    case 'error':
      return { kind: 'noticed', text: safe(`Listener: ${event.error.message}`), ok: false }
    case 'refused': {
      const text = safe(`Refused ${event.method} ${event.path}: ${event.why}`.slice(0, 300))
      return { kind: 'noticed', text, ok: false }
    }
    case 'closed':
      return { kind: 'listener-closed' }
    case 'duplicate':
    case 'waiting':
    case 'closing':
    case 'forwarded':
      return undefined
  }
}

async function watchOperations(options: SourceOptions): Promise<void> {
  const { inbox, environment, operationIds, history, safe, explain, dispatch, signal } = options
  let seen = new Map<string, string>()
  let reported = false
  const readNews = async () => {
    const known = await inbox.operations.list({ environment, limit: MAX_PAST_OPERATIONS })
    const now = new Map(known.map((operation) => [operation.id, JSON.stringify(operation)]))
    const news = known.filter(({ id }) => seen.get(id) !== now.get(id))
    seen = now
    return news.map((operation) => factsOfKnown(operation, safe))
  }
  const wanted = (facts: OperationFacts) =>
    history || facts.status === 'queued' || operationIds.includes(facts.id)
  const given = operationIds.map((id): OperationFacts => ({ id: safe(id) }))
  // Oldest first, because the newest are shown at the end.
  dispatch({ kind: 'operations', operations: [...(await readNews()).filter(wanted).reverse(), ...given] })
  let timer: NodeJS.Timeout
  const poll = async () => {
    try {
      const operations = (await readNews()).reverse()
      if (operations.length > 0) dispatch({ kind: 'operations', operations })
    } catch (error) {
      if (!reported) dispatch({ kind: 'noticed', text: safe(await explain(error)), ok: false })
      reported = true
    }
    if (!signal.aborted) timer = setTimeout(poll, READ_EVERY_MS)
  }
  timer = setTimeout(poll, READ_EVERY_MS)
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true })
}

/** A test delivery bypasses the filter, as it does in the listener. */
function isWanted(type: string | undefined, events: readonly string[] | undefined): boolean {
  if (events === undefined || events.length === 0 || type === 'webhook.test') return true
  return type !== undefined && events.some((pattern) => matchesType(pattern, type))
}

/** Collects the deliveries of one turn of the event loop. */
function createBatch(flush: (facts: DeliveryFacts[]) => void): (facts: DeliveryFacts) => void {
  let waiting: DeliveryFacts[] = []
  return (facts) => {
    waiting.push(facts)
    if (waiting.length > 1) return
    setImmediate(() => {
      const collected = waiting
      waiting = []
      flush(collected)
    })
  }
}
