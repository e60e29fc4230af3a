/** Holds back the events of a refused delivery until it is explained, so that its line says why; it is answered meanwhile. */
import type { Batch, Deliveries } from '../inbox/inbox.ts'
import type { ListenerEvent, ReceivedDelivery } from './events.ts'

interface Tools {
  inbox: { deliveries: Pick<Deliveries, 'explain'>; batch: Batch }
  emit: (event: ListenerEvent) => void
  onError: (error: Error) => void
}

type DeliveryEvent = Extract<ListenerEvent, { delivery: ReceivedDelivery }>

interface Held {
  readonly events: DeliveryEvent[]
  readonly explained: Promise<void>
}

export function holdUnexplained({ inbox, emit, onError }: Tools) {
  /** By the id of the delivery. */
  const held = new Map<number, Held>()

  async function explain(delivery: ReceivedDelivery): Promise<void> {
    const { id, reason } = delivery
    const detail = await delivery.explain?.()
    if (detail !== undefined) {
      await inbox.batch(() => inbox.deliveries.explain(id, reason, detail)).catch(onError)
    }
    const events = held.get(id)?.events ?? []
    held.delete(id)
    for (const event of events) {
      emit({ ...event, delivery: { ...delivery, detail: detail ?? delivery.detail, explain: undefined } })
    }
  }

  return {
    emit(event: ListenerEvent): void {
      if (!('delivery' in event)) {
        emit(event)
        return
      }
      const { delivery } = event
      const waiting = held.get(delivery.id)
      if (waiting !== undefined) {
        waiting.events.push(event)
      } else if (delivery.explain === undefined || event.kind !== 'delivery') {
        emit(event)
      } else {
        // After the answer: it is written before the event loop turns.
        const explained = new Promise(setImmediate).then(() => explain(delivery))
        held.set(delivery.id, { events: [event], explained })
      }
    },
    /** Resolves once nothing is held. */
    async released(): Promise<void> {
      while (held.size > 0) await Promise.all(Array.from(held.values(), ({ explained }) => explained))
    },
  }
}
