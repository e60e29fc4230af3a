/** Where news comes from: the inbox, which every bankapi process writes, and the listener inside. */
import { watchDeliveries } from '../../inbox/deliveries.ts'
import type { ListenerEvent } from '../../listener/events.ts'
import { matchesType } from '../../listener/forward-url.ts'
import type { DeliveryFacts } from '../state/delivery-row.ts'
import type { Happening } from '../state/events.ts'
import type { OperationFacts } from '../state/operation-row.ts'
import { factsOfReceived, factsOfStored } from './delivery-facts.ts'
import { factsOfKnown } from './operation-facts.ts'
import type { EffectTools } from './tools.ts'

/** Milliseconds between two looks at the operations this machine noted. */
const LOOK_EVERY = 500
/** Operations and deliveries of the past that are shown at the start; older operations are not watched. */
const OPERATIONS = 200
const DELIVERIES = 100

export interface SourceOptions extends EffectTools {
  /** Given on the command line. */
  readonly operationIds: readonly string[]
  /** Types to show, `*` standing for any text; undefined shows all. */
  readonly events: readonly string[] | undefined
  /** Whether what happened before is shown, too. */
  readonly history: boolean
}

/** Tells what is there and what comes, until the signal aborts. */
export function watchInbox(options: SourceOptions): void {
  watchOperations(options)
  const { inbox, environment, history, signal, explain, safe, dispatch, clock, events } = options
  const last = inbox.deliveries.lastId()
  const isShown = ({ type }: { type?: string | undefined }) => isWanted(type, events)
  if (history) {
    const past = inbox.deliveries.list({ environment, limit: DELIVERIES }).filter(isShown)
    const deliveries = past.map((delivery) => factsOfStored(delivery, safe, clock.now()))
    dispatch({ kind: 'deliveries', deliveries })
  }
  const batch = createBatch((deliveries) => dispatch({ kind: 'deliveries', deliveries }))
  const watch = async () => {
    for await (const delivery of watchDeliveries(inbox.deliveries, { signal, after: last })) {
      if (delivery.environment !== environment || !isShown(delivery)) continue
      batch(factsOfStored(delivery, safe, clock.now()))
    }
  }
  watch().catch(async (error) => dispatch({ kind: 'noticed', text: safe(await explain(error)), ok: false }))
}

/** What the listener inside tells; undefined for what is not shown. */
export function happeningOf(event: ListenerEvent, safe: (text: string) => string): Happening | undefined {
  switch (event.kind) {
    case 'ready':
      return { kind: 'listening', url: safe(event.url), targets: event.targets.map(safe) }
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
    case 'forwarded':
      return undefined
  }
}

function watchOperations(options: SourceOptions): void {
  const { inbox, environment, operationIds, history, safe, explain, dispatch, signal } = options
  let seen = new Map<string, string>()
  let complained = false
  const look = () => {
    const known = inbox.operations.list({ environment, limit: OPERATIONS })
    const now = new Map(known.map((operation) => [operation.id, JSON.stringify(operation)]))
    const news = known.filter(({ id }) => seen.get(id) !== now.get(id))
    seen = now
    return news.map((operation) => factsOfKnown(operation, safe))
  }
  const wanted = (facts: OperationFacts) =>
    history || facts.status === 'queued' || operationIds.includes(facts.id)
  const given = operationIds.map((id): OperationFacts => ({ id: safe(id) }))
  // Oldest first: the newest stand at the end.
  dispatch({ kind: 'operations', operations: [...look().filter(wanted).reverse(), ...given] })
  const timer = setInterval(() => {
    try {
      const operations = look().reverse()
      if (operations.length > 0) dispatch({ kind: 'operations', operations })
    } catch (error) {
      if (!complained)
        void explain(error).then((text) => dispatch({ kind: 'noticed', text: safe(text), ok: false }))
      complained = true
    }
  }, LOOK_EVERY)
  signal.addEventListener('abort', () => clearInterval(timer), { once: true })
}

/** A test delivery bypasses the filter, as it does in the listener. */
function isWanted(type: string | undefined, events: readonly string[] | undefined): boolean {
  if (events === undefined || events.length === 0 || type === 'webhook.test') return true
  return type !== undefined && events.some((pattern) => matchesType(pattern, type))
}

/** Gathers what comes in one turn of the event loop. */
function createBatch(flush: (facts: DeliveryFacts[]) => void): (facts: DeliveryFacts) => void {
  let waiting: DeliveryFacts[] = []
  return (facts) => {
    waiting.push(facts)
    if (waiting.length > 1) return
    setImmediate(() => {
      const gathered = waiting
      waiting = []
      flush(gathered)
    })
  }
}
