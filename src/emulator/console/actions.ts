/** What the forms of the console do. */
import type { Controls } from '../control/controls.ts'
import { redeliver } from '../engine/deliveries.ts'
import { forOneJob } from '../engine/engine.ts'
import { notFound, ServiceError } from '../engine/errors.ts'
import { emitTest } from '../engine/events.ts'
import type { Environment } from '../store/customers.ts'
import type { Guard } from './guard.ts'
import type { Sources } from './overview.ts'
import { offerNamed } from './triggers.ts'
import { clockTime } from './words.ts'

export interface ConsoleParts extends Sources {
  readonly guard: Guard
  readonly controls: Pick<Controls, 'advance' | 'trigger'>
  /** Reads an urlencoded body. */
  readonly formOf: (body: unknown) => URLSearchParams
}

interface Done {
  /** A sentence for the user. */
  readonly said: string
  /** Where to look at it; the console's first page unless given. */
  readonly goTo?: string
}

/** `id` is the number in the path. Throws a ServiceError that says why it cannot be done. */
export type ConsoleAction = (parts: ConsoleParts, form: URLSearchParams, id: number) => Done | Promise<Done>

/** How far the clock may be moved at once. */
const MAX_ADVANCE_MS = 366 * 86_400_000

export const actions = {
  async advance({ engine, controls }, form) {
    const until = form.get('until')
    // A job may have run since the page was made: then it is due already.
    const ms = until === null ? Number(form.get('ms')) : Math.max(0, Date.parse(until) - engine.clock.now())
    if (!Number.isSafeInteger(ms) || ms < 0 || ms > MAX_ADVANCE_MS) {
      throw new ServiceError('invalid_request', 'The clock moves forward, by a year at most.')
    }
    const { clock, jobs_run } = await controls.advance(ms)
    return { said: `It is ${clockTime(clock)} now. ${jobs_run === 1 ? '1 job' : `${jobs_run} jobs`} ran.` }
  },

  trigger({ controls }, form) {
    const offer = offerNamed(form.get('offer') ?? '')
    if (offer === undefined) throw new ServiceError('invalid_request', 'There is no such trigger.')
    const environment: Environment = form.get('environment') === 'live' ? 'live' : 'sandbox'
    const { connection_id, status } = controls.trigger({
      ...offer.order,
      environment,
      connection: form.get('connection') ?? '',
    })
    return { said: `${offer.label}: ${connection_id} is ${status}.` }
  },

  testEvent({ engine }, form) {
    const subscription = engine.store.subscriptions.bySeq(Number(form.get('subscription')))
    if (subscription === undefined) throw notFound('webhook subscription')
    engine.store.db.transaction(() => emitTest(forOneJob(engine), subscription))
    return { said: 'A test event is on its way.' }
  },

  replay({ engine }, _form, id) {
    const delivery = engine.store.db.transaction(() => redeliver(engine, id))
    return { said: 'The event is delivered again.', goTo: `/console/deliveries/${delivery}` }
  },
} satisfies Record<string, ConsoleAction>
