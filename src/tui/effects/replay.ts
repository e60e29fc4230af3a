/** Sends a delivery of the inbox to the target again, and notes it as a delivery of its own. */
import type { Delivery } from '../../inbox/delivery-rows.ts'
import { createForwarder, type Forwarder } from '../../listener/forward.ts'
import { routeFor, targetUrl } from '../../listener/forward-url.ts'
import type { EffectTools } from './tools.ts'

export interface Replayer {
  /** Resolves with what the target said, for the user; rejects only when the inbox does. */
  replay(id: number): Promise<{ ok: boolean; text: string }>
  close(): Promise<void>
}

export function createReplayer({ inbox, clock, target, safe }: EffectTools): Replayer {
  const { deliveries } = inbox
  let forwarder: Forwarder | undefined

  /** The target given to this screen, else the one that the delivery was meant for. */
  function urlFor(delivery: Delivery): string | undefined {
    const route = routeFor(target.routes, delivery.type)
    return route === undefined ? delivery.forwardTo : targetUrl(route.url, delivery.path)
  }

  return {
    async replay(id) {
      const [delivery] = deliveries.after(id - 1, 1)
      if (delivery?.id !== id) return { ok: false, text: 'It is not in the inbox any more' }
      const url = urlFor(delivery)
      if (url === undefined) return { ok: false, text: 'No target: start with --forward URL' }
      const { method, headers, body } = delivery
      const copy = deliveries.record({
        ...delivery,
        receivedAt: clock.now(),
        forwardTo: url,
        replayOf: delivery.replayOf ?? id,
      })
      forwarder ??= createForwarder(target)
      const outcome = await forwarder.forward({ url, method, headers, body })
      deliveries.recordForward(copy.id, outcome)
      const { status, error, durationMs } = outcome
      const ok = status !== undefined && status >= 200 && status < 300
      const answer =
        status === undefined ? `no answer, ${error}` : `${status} in ${Math.round(durationMs)} ms`
      return { ok, text: safe(`Sent again ${delivery.eventId ?? id}: ${answer}`) }
    },
    close: async () => forwarder?.abort(),
  }
}
