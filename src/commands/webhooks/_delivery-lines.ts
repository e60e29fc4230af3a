/** Lists deliveries of the inbox on a terminal, a line each, below the day on which they came. */
import { type DeliveryFacts, deliveryLine } from '../../output/delivery-line.ts'
import type { View } from '../../output/view.ts'
import type { DeliverySummary } from './_delivery-document.ts'

/** `subjects` has the Connection, Account or Statement of each delivery, by its number. Every line ends with a newline. */
export function deliveryLines(
  deliveries: readonly DeliverySummary[],
  subjects: ReadonlyMap<number, string | undefined>,
  out: View,
): string {
  const environments = new Set(deliveries.map(({ environment }) => environment))
  const several = environments.size > 1
  const numberWidth = Math.max(...deliveries.map(({ id }) => String(id).length))
  let before = ''
  return deliveries
    .map((delivery) => {
      const [day = '', clock = ''] = out.time(delivery.received_at).split(' ')
      const zone = clock.endsWith('Z') ? ' UTC' : ''
      const where = several ? '' : `  ${delivery.environment}`
      const heading = day === before ? '' : `${out.bold(day)}${out.dim(`${zone}${where}`)}\n`
      before = day
      const lead = `${String(delivery.id).padStart(numberWidth)}  ${clock.slice(0, 8)}`
      const line = deliveryLine(factsOf(delivery, subjects.get(delivery.id), several), lead, out.width)
      return `${heading}${out.line(line)}\n`
    })
    .join('')
}

function factsOf(
  delivery: DeliverySummary,
  subject: string | undefined,
  namesEnvironment: boolean,
): DeliveryFacts {
  const { type, event_id, verified, reason, detail, duplicate, replay_of, environment } = delivery
  return {
    subject,
    verified,
    type: type ?? undefined,
    eventId: event_id ?? undefined,
    reason: reason ?? undefined,
    detail: detail ?? undefined,
    forward: forwardOf(delivery),
    repeated: duplicate || replay_of !== null,
    notes: [
      ...(duplicate ? ['duplicate'] : []),
      ...(replay_of === null ? [] : ['replay']),
      ...(namesEnvironment ? [environment] : []),
    ],
  }
}

function forwardOf({ forward, forward_to }: DeliverySummary): DeliveryFacts['forward'] {
  if (forward !== null) return { status: forward.status ?? undefined, durationMs: forward.duration_ms }
  return forward_to === null ? 'none' : 'interrupted'
}
