/** Handles one delivery: verifies, describes, records, forwards and answers it. It is recorded before it is forwarded. */
import type { HeaderPair } from '../inbox/delivery-rows.ts'
import { describeBody } from './describe-body.ts'
import type { ForwardOutcome, ListenerEvent, ReceivedDelivery } from './events.ts'
import type { Explainer } from './explainer.ts'
import type { Forwarder } from './forward.ts'
import { matchesType, routeFor, targetUrl } from './forward-url.ts'
import type { ListenerOptions } from './options.ts'
import { createVerifier, type Verification } from './verify-delivery.ts'

/** A request as received, with its whole body. */
export interface IncomingDelivery {
  method: string
  path: string
  rawHeaders: HeaderPair[]
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: Uint8Array
  /** Set when the body was larger than the limit: it is recorded without it, and refused. */
  tooLarge?: boolean | undefined
}

/** The response to the sender of a delivery. */
export interface DeliveryResponse {
  status: number
  headers: HeaderPair[]
  body: Uint8Array
}

interface ReceiverTools {
  forwarder: Forwarder
  explainer: Explainer
  emit: (event: ListenerEvent) => void
  /** The subscription of the deliveries, once it is known. */
  subscription: () => string | undefined
  /** Called after every forward. */
  onForward: (outcome: ForwardOutcome) => void
}

const tooLarge: Verification = {
  verified: false,
  reason: 'body_too_large',
  detail: 'The body is larger than the listener accepts, and was not kept.',
}

const refusalStatus: Readonly<Record<string, number>> = { body_too_large: 413, secrets_unavailable: 503 }
const failureStatus = { unreachable: 502, broken_answer: 502, timeout: 504, aborted: 503 } as const

export function createReceiver(
  options: ListenerOptions,
  { forwarder, explainer, emit, subscription, onForward }: ReceiverTools,
) {
  const { clock, inbox, environment, forward: routes = [] } = options
  const { deliveries } = inbox
  const verify = createVerifier({ ...options, explainer })
  /** Running forwards by event: a repeat waits for the first to end. */
  const running = new Map<string, Promise<unknown>>()

  async function receive(incoming: IncomingDelivery): Promise<DeliveryResponse> {
    const receivedAt = clock.now()
    const verification = incoming.tooLarge ? tooLarge : await verify(incoming.headers, incoming.body)
    const { delivery, target } = await record(incoming, verification, receivedAt)
    if (!delivery.filtered) emit({ kind: 'delivery', at: receivedAt, delivery })

    if (target === undefined)
      return settle(delivery, undefined, refusalOf(delivery) ?? jsonResponse(200, { received: true }))
    // Nothing is awaited between recording a first delivery and forwarding it, so that a repeat finds it running.
    if (delivery.duplicate && (await isAcceptedBefore(delivery))) {
      return settle(delivery, undefined, jsonResponse(200, { received: true, duplicate: true }))
    }
    const outcome = await forwardOnce(incoming, delivery, target)
    const answer = answerOf(outcome)
    emit({ kind: 'forwarded', at: clock.now(), delivery, forward: outcome, answered: answer.status })
    return settle(delivery, outcome, answer)
  }

  async function record(incoming: IncomingDelivery, verification: Verification, receivedAt: number) {
    const description = describeBody(incoming.body, incoming.headers, verification)
    const filtered = verification.verified && !isWanted(description.type)
    const allowed = verification.verified || (options.insecureForward === true && !incoming.tooLarge)
    const route = allowed && !filtered ? routeFor(routes, description.type) : undefined
    const target = route && targetUrl(route.url, incoming.path)
    const { id, duplicate } = await inbox.batch(() =>
      deliveries.record({
        ...description,
        ...verification,
        receivedAt,
        environment,
        subscription: subscription(),
        method: incoming.method,
        path: incoming.path,
        headers: incoming.rawHeaders,
        body: incoming.body,
        forwardTo: target,
      }),
    )
    const delivery: ReceivedDelivery = {
      ...description,
      ...verification,
      id,
      receivedAt,
      duplicate,
      filtered,
    }
    return { delivery, target }
  }

  /** A test delivery bypasses the filter, as it bypasses the subscription's event types. */
  function isWanted(type: string | undefined): boolean {
    const { events } = options
    if (events === undefined || events.length === 0 || type === 'webhook.test') return true
    return type !== undefined && events.some((pattern) => matchesType(pattern, type))
  }

  /**
   * Whether dedupe answers this repeat itself: only when a target has accepted the event. A repeat that the service
   * sends because the target failed, or because the listener died, must be forwarded.
   */
  async function isAcceptedBefore(delivery: ReceivedDelivery): Promise<boolean> {
    const { eventId } = delivery
    let dropped = false
    if (options.dedupe && eventId !== undefined) {
      await running.get(eventId)
      dropped = deliveries.wasAccepted({ eventId, environment, subscription: subscription() })
    }
    if (!delivery.filtered) emit({ kind: 'duplicate', at: clock.now(), delivery, dropped })
    return dropped
  }

  async function forwardOnce(incoming: IncomingDelivery, delivery: ReceivedDelivery, url: string) {
    const { method, rawHeaders, body } = incoming
    const forwarding = forwarder.forward({ url, method, headers: rawHeaders, body }).then(async (outcome) => {
      await recordForward(delivery, outcome)
      return outcome
    })
    const { eventId } = delivery
    if (options.dedupe && eventId !== undefined) {
      const settled = forwarding.finally(() => {
        if (running.get(eventId) === settled) running.delete(eventId)
      })
      running.set(eventId, settled)
    }
    const outcome = await forwarding
    onForward(outcome)
    return outcome
  }

  /** The target has the delivery already: an error of the inbox is reported and does not change the answer. */
  async function recordForward(delivery: ReceivedDelivery, outcome: ForwardOutcome): Promise<void> {
    try {
      await inbox.batch(() => deliveries.recordForward(delivery.id, outcome))
    } catch (error) {
      emit({ kind: 'error', at: clock.now(), error: error as Error, fatal: false })
    }
  }

  function answerOf(outcome: ForwardOutcome): DeliveryResponse {
    // An aborted forward is answered 503 even with ack, so that the service sends the delivery again.
    if (options.ack && outcome.failure !== 'aborted') return jsonResponse(200, { received: true })
    if (outcome.failure !== undefined) {
      return jsonResponse(failureStatus[outcome.failure], { error: { code: `target_${outcome.failure}` } })
    }
    return { status: outcome.status ?? 502, headers: outcome.headers, body: outcome.body }
  }

  function settle(
    delivery: ReceivedDelivery,
    forward: ForwardOutcome | undefined,
    answer: DeliveryResponse,
  ): DeliveryResponse {
    emit({ kind: 'settled', at: clock.now(), delivery, forward, answered: answer.status })
    return answer
  }

  return receive
}

/** The answer to a refused delivery: the code, never the diagnosis. */
function refusalOf(delivery: ReceivedDelivery): DeliveryResponse | undefined {
  if (delivery.verified) return undefined
  return jsonResponse(refusalStatus[delivery.reason ?? ''] ?? 401, { error: { code: delivery.reason } })
}

/** A JSON response of the listener's own. */
export function jsonResponse(status: number, json: unknown): DeliveryResponse {
  return {
    status,
    headers: [['Content-Type', 'application/json']],
    body: new TextEncoder().encode(JSON.stringify(json)),
  }
}
