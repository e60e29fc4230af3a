/** Has the service send a test event to a webhook subscription, and says what became of it. */
import * as z from 'zod'
import { items } from '../../api/pages.ts'
import { pageSize } from '../../contract/service.ts'
import type { Subscription } from '../../contract/webhooks.ts'
import { BankapiError } from '../../errors.ts'
import type { Call } from '../assistant.ts'
import type { Paging } from '../paging.ts'
import { outcomeOf } from '../recorded-deliveries.ts'
import { tool } from '../tool.ts'

/** Waits between looks for the delivery, in ms. */
const WAITS = [250, 500, 1000, 1500, 2000]
/** Subscriptions that are named where one has to be chosen. */
const MAX_NAMED = 5

export const testWebhook = tool({
  name: 'test_webhook',
  title: 'Send a test event',
  description:
    'Queues a signed webhook.test event to a subscription, and looks for a few seconds how its delivery ended: in the record of this machine, else at the service.',
  input: { subscription_id: z.string().max(200).optional().describe('Without it the only one') },
  output: {
    subscription_id: z.string(),
    event_id: z.string(),
    delivery: z.string(),
    seen_by: z.enum(['this machine', 'the service']).optional(),
  },
  scopes: ['read:webhooks', 'write:webhooks'],
  group: 'webhooks',
  async run(call, { subscription_id }) {
    const before = await subscriptionOf(call, subscription_id)
    const { api, signal } = call
    const { event_id } = await api.webhooks.test({ subscription_id: before.id }, { signal })
    return { data: { subscription_id: before.id, event_id, ...(await deliveryOf(call, before, event_id)) } }
  },
})

/** The one that is named, or the only one. */
async function subscriptionOf(call: Call, id: string | undefined): Promise<Subscription> {
  const all = await subscriptionsOf(call)
  const found = id === undefined ? all[0] : all.find((one) => one.id === id)
  if (found === undefined) {
    throw new BankapiError(
      id === undefined ? 'There is no webhook subscription' : `There is no subscription ${id}`,
      {
        code: 'no_subscription',
        exit: 'notFound',
        hint: 'A person lists them with bankapi webhooks list, and makes one with bankapi webhooks create',
      },
    )
  }
  if (id !== undefined || all.length === 1) return found
  const names = all.slice(0, MAX_NAMED).map((one) => one.id)
  throw new BankapiError('There are several webhook subscriptions', {
    code: 'subscription_missing',
    exit: 'usage',
    hint: `Give subscription_id: ${names.join(', ')}${all.length > MAX_NAMED ? ', …' : ''}`,
  })
}

function subscriptionsOf({ api, signal }: Call): Promise<Subscription[]> {
  const list = (page: Paging) => api.webhooks.list(page, { signal })
  return Array.fromAsync(items<Paging, Subscription>(list, { limit: pageSize.max }))
}

type Ending = { readonly delivery: string; readonly seen_by?: 'this machine' | 'the service' }

async function deliveryOf(call: Call, before: Subscription, eventId: string): Promise<Ending> {
  for (const wait of WAITS) {
    await call.clock.sleep(wait, call.signal)
    const ending =
      (await unlessItFails(() => endingHere(call, eventId))) ??
      (await unlessItFails(() => endingThere(call, before)))
    if (ending !== undefined) return ending
  }
  return { delivery: 'queued: no outcome is known yet, and the service tries for up to 24 hours' }
}

/** The event is sent: that nothing can be said about its delivery is no failure. */
async function unlessItFails(look: () => Promise<Ending | undefined>): Promise<Ending | undefined> {
  try {
    return await look()
  } catch (error) {
    if (!(error instanceof BankapiError)) throw error
    return undefined
  }
}

/** Undefined where this machine has not received it, or still forwards it. */
async function endingHere({ environment, openInbox }: Call, eventId: string): Promise<Ending | undefined> {
  const found = await (await openInbox()).deliveries.get(eventId)
  const delivery = found.findLast((one) => one.environment === environment.name)
  if (delivery === undefined) return undefined
  const { verified, forwardTo, forwards } = delivery
  if (verified && forwardTo !== undefined && forwards.length === 0) return undefined
  return { delivery: outcomeOf(delivery), seen_by: 'this machine' }
}

/** What the service noted of the subscription since. Another event that it sends at the same time may be meant. */
async function endingThere(call: Call, before: Subscription): Promise<Ending | undefined> {
  const now = (await subscriptionsOf(call)).find(({ id }) => id === before.id)
  if (now === undefined) return undefined
  if (now.last_success_at !== before.last_success_at)
    return { delivery: 'answered 2xx', seen_by: 'the service' }
  return now.last_failure_at === before.last_failure_at
    ? undefined
    : { delivery: 'not answered 2xx: the service tries again for up to 24 hours', seen_by: 'the service' }
}
