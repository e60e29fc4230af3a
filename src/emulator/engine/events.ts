/** Events, stored with their deliveries in the transaction of the change that they report. */
import { type EventData, type EventType, events } from '../../contract/events.ts'
import { apiVersion } from '../../contract/service.ts'
import type { SubscriptionRow } from '../store/subscriptions.ts'
import { type Engine, isoNow, tenantOf } from './engine.ts'

/** Records an event and a delivery for each subscription that asked for its type. Returns the event's id. */
export function emit<T extends EventType>(
  engine: Engine,
  tenant: number,
  type: T,
  data: EventData<T>,
): string {
  const interested = engine.store.subscriptions
    .of(tenant)
    .filter(({ event_types }) => (JSON.parse(event_types) as string[]).includes(type))
  return record(engine, tenant, type, data, interested)
}

/** The test fire: goes to one subscription, whatever types it asked for. */
export function emitTest(engine: Engine, subscription: SubscriptionRow): string {
  const data = { subscription_id: subscription.id, message: 'This is a test delivery.' }
  return record(engine, subscription.tenant, 'webhook.test', data, [subscription])
}

function record(
  engine: Engine,
  tenant: number,
  type: EventType,
  data: object,
  receivers: readonly SubscriptionRow[],
): string {
  const { store, ids, schedule } = engine
  const event_id = events[type].id === 'uuid' ? ids.uuid('event') : `evt_${ids.hex('event', 24)}`
  const created_at = isoNow(engine)
  const livemode = tenantOf(engine, tenant).environment === 'live'
  const body = JSON.stringify({ event_id, type, created_at, api_version: apiVersion, livemode, data })
  const event = store.deliveries.addEvent({ tenant, id: event_id, type, created_at, body })
  for (const { seq } of receivers) {
    schedule.add(0, { kind: 'deliver', delivery: store.deliveries.add(event, seq, created_at) })
  }
  return event_id
}
