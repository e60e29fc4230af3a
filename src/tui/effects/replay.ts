/** Sends a delivery of the inbox to the target again, and records it as a new delivery. */
import type { Delivery } from '../../inbox/delivery-rows.ts'
import { deliveryOf } from '../../inbox/watch-deliveries.ts'
import { createForwarder, type Forwarder } from '../../listener/forward.ts'
import { routeFor, targetUrl } from '../../listener/forward-url.ts'
import { replay } from '../../listener/replay.ts'
import type { EffectTools } from './tools.ts'

export interface Replayer {
  /** Resolves with the target's response, for the user; rejects only when the inbox fails. */
  replay(id: number): Promise<{ ok: boolean; text: string }>
  close(): Promise<void>
}

/** A recorded signature is sent for this long; a minute later, a receiver refuses it as a replay. */
const SIGNATURE_VALID_MS = 4 * 60_000

export function createReplayer({ inbox, clock, target, safe }: EffectTools): Replayer {
  let forwarder: Forwarder | undefined

  /** The target given on the command line, else the one of the delivery. */
  function urlFor(delivery: Delivery): string | undefined {
    const route = routeFor(target.routes, delivery.type)
    return route === undefined ? delivery.forwardTo : targetUrl(route.url, delivery.path)
  }

  async function secretFor({ receivedAt }: Delivery): Promise<string | undefined> {
    return clock.now() - receivedAt < SIGNATURE_VALID_MS ? undefined : target.signingSecret()
  }

  return {
    async replay(id) {
      const delivery = await deliveryOf(inbox, id)
      if (delivery === undefined) return { ok: false, text: 'It is not in the inbox any more' }
      if (delivery.bodyBytes !== undefined)
        return { ok: false, text: 'Only the beginning of its body is kept' }
      const url = urlFor(delivery)
      if (url === undefined) return { ok: false, text: 'No target: start with --forward URL' }
      forwarder ??= createForwarder(target)
      const resignWith = await secretFor(delivery)
      const { status, error, durationMs } = await replay(delivery, {
        inbox,
        forwarder,
        url,
        resignWith,
        clock,
      })
      const ok = status !== undefined && status >= 200 && status < 300
      const answer =
        status === undefined ? `no answer, ${error}` : `${status} in ${Math.round(durationMs)} ms`
      return { ok, text: safe(`Sent again ${delivery.eventId ?? id}: ${answer}`) }
    },
    close: async () => forwarder?.abort(),
  }
}
