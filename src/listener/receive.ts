/** Handles one delivery: verifies, describes, records, forwards and answers it. It is recorded before it is forwarded. */
import { setTimeout as delay } from 'node:timers/promises'
import type { HeaderPair } from '../inbox/delivery-rows.ts'
import { type Claim, type ClaimOutcome, isKnownEvent } from '../inbox/inbox.ts'
import { InboxError } from '../inbox/inbox-error.ts'
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
  /** The longest time a forward takes. */
  forwardTimeoutMs: number
}

const tooLarge: Verification = {
  verified: false,
  reason: 'body_too_large',
  detail: 'The body is larger than the listener accepts, and was not kept.',
}

const TELL_TROUBLE_EVERY_MS = 60_000

/** How long a claim outlasts the longest forward: the time to record its outcome. */
const CLAIM_MARGIN_MS = 5000
const CLAIM_POLL_MS = 50
const DEFAULT_REPEAT_WAIT_MS = 5000
const DEFAULT_NOTICE_AFTER_MS = 5000

type Claimant = Pick<ReceivedDelivery, 'id' | 'eventId' | 'verified' | 'shape'>

const refusalStatus: Readonly<Record<string, number>> = { body_too_large: 413, secrets_unavailable: 503 }
const failureStatus = { unreachable: 502, broken_answer: 502, timeout: 504, aborted: 503 } as const

export function createReceiver(
  options: ListenerOptions,
  { forwarder, explainer, emit, subscription, onForward, forwardTimeoutMs }: ReceiverTools,
) {
  const { clock, inbox, environment } = options
  const routes = (options.forward ?? []).map((route) => ({ ...route, parsed: new URL(route.url) }))
  const { deliveries } = inbox
  const verify = createVerifier({ ...options, explainer })

  async function receive(incoming: IncomingDelivery): Promise<DeliveryResponse> {
    const receivedAt = clock.now()
    const verification = incoming.tooLarge ? tooLarge : await verify(incoming.headers, incoming.body)
    let recorded: Awaited<ReturnType<typeof record>>
    try {
      recorded = await record(incoming, verification, receivedAt)
    } catch (error) {
      if (!(error instanceof InboxError)) throw error
      tellTrouble(error)
      return unavailable('inbox_unavailable', error.code === 'full' ? 60 : 1)
    }
    const { delivery, target } = recorded
    if (!delivery.filtered) emit({ kind: 'delivery', at: receivedAt, delivery })

    if (target === undefined)
      return settle(delivery, undefined, refusalOf(delivery) ?? jsonResponse(200, { received: true }))
    const claimed = recorded.claimed === 'running' ? await awaitClaim(delivery) : recorded.claimed
    if (delivery.duplicate && !delivery.filtered) {
      emit({ kind: 'duplicate', at: clock.now(), delivery, dropped: claimed === 'accepted' })
    }
    if (claimed === 'accepted') {
      return settle(delivery, undefined, jsonResponse(200, { received: true, duplicate: true }))
    }
    if (claimed === 'running') {
      const { method, path } = incoming
      const why = `${delivery.eventId} is being forwarded already`
      emit({ kind: 'refused', at: clock.now(), status: 503, method, path, why })
      return settle(delivery, undefined, unavailable('event_is_being_forwarded', 1))
    }
    const outcome = await forward(incoming, delivery, target)
    const answer = answerOf(outcome)
    emit({ kind: 'forwarded', at: clock.now(), delivery, forward: outcome, answered: answer.status })
    return settle(delivery, outcome, answer)
  }

  const told = new Map<string, number>()

  /** What keeps a flood of deliveries from being stored is told once a minute. */
  function tellTrouble(error: Error): void {
    const at = clock.now()
    const kind = error instanceof InboxError ? error.code : error.name
    if (Math.abs(at - (told.get(kind) ?? Number.NEGATIVE_INFINITY)) < TELL_TROUBLE_EVERY_MS) return
    told.set(kind, at)
    emit({ kind: 'error', at, error, fatal: false })
  }

  async function record(incoming: IncomingDelivery, verification: Verification, receivedAt: number) {
    const description = describeBody(incoming.body, incoming.headers, verification)
    const filtered = verification.verified && !isWanted(description.type)
    const allowed = verification.verified || (options.insecureForward === true && !incoming.tooLarge)
    const route = allowed && !filtered ? routeFor(routes, description.type) : undefined
    const target = route && targetUrl(route.parsed, incoming.path)
    const { id, duplicate, claimed } = await inbox.batch(() =>
      deliveries.record(
        {
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
        },
        target !== undefined && options.dedupe ? newClaim() : undefined,
      ),
    )
    const delivery: ReceivedDelivery = {
      ...description,
      ...verification,
      id,
      receivedAt,
      duplicate,
      filtered,
    }
    return { delivery, target, claimed }
  }

  /** A test delivery bypasses the filter, as it bypasses the subscription's event types. */
  function isWanted(type: string | undefined): boolean {
    const { events } = options
    if (events === undefined || events.length === 0 || type === 'webhook.test') return true
    return type !== undefined && events.some((pattern) => matchesType(pattern, type))
  }

  /**
   * When repeats are not forwarded, a delivery claims its event: once a target has accepted an event, or while a listener
   * is forwarding it, nobody else gets it.
   */
  function newClaim(): Claim {
    return { at: clock.now(), forMs: forwardTimeoutMs + CLAIM_MARGIN_MS }
  }

  /** Undefined when it is to be forwarded anyway. */
  function tryClaim(delivery: Claimant) {
    if (!isKnownEvent(delivery)) return undefined
    const event = { eventId: delivery.eventId, environment, subscription: subscription() }
    return deliveries.claim(event, delivery.id, newClaim())
  }

  /** Waits for the outcome of the forward that has the event; takes the event when that failed. */
  async function awaitClaim(delivery: Claimant): Promise<ClaimOutcome | undefined> {
    const end = performance.now() + (options.repeatWaitMs ?? DEFAULT_REPEAT_WAIT_MS)
    let claimed: ClaimOutcome | undefined = 'running'
    while (claimed === 'running' && performance.now() < end) {
      // A listener that was closed by force does not stay for it.
      await delay(CLAIM_POLL_MS, undefined, { ref: false })
      claimed = await inbox
        .batch(() => tryClaim(delivery))
        .catch((error: unknown) => {
          if (error instanceof InboxError) return 'running'
          throw error
        })
    }
    return claimed
  }

  async function forward(incoming: IncomingDelivery, delivery: ReceivedDelivery, url: string) {
    const { method, rawHeaders, body } = incoming
    const told = tellSlow(delivery, url)
    const outcome = await forwarder.forward({ url, method, headers: rawHeaders, body })
    clearTimeout(told)
    await recordForward(delivery, outcome)
    onForward(outcome)
    return outcome
  }

  /** A target that hangs is told while there is time left to look at it. */
  function tellSlow(delivery: ReceivedDelivery, url: string): NodeJS.Timeout | undefined {
    const { noticeAfterMs: waitedMs = DEFAULT_NOTICE_AFTER_MS } = options
    if (waitedMs >= forwardTimeoutMs) return undefined
    return setTimeout(() => {
      emit({ kind: 'waiting', at: clock.now(), delivery, url, waitedMs, timeoutMs: forwardTimeoutMs })
    }, waitedMs).unref()
  }

  /** The target has the delivery already: an error of the inbox is reported and does not change the answer. */
  async function recordForward(delivery: ReceivedDelivery, outcome: ForwardOutcome): Promise<void> {
    try {
      await inbox.batch(() => deliveries.recordForward(delivery.id, outcome))
    } catch (error) {
      tellTrouble(error as Error)
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

/** Nothing was done with the delivery: the service sends it again. */
function unavailable(code: string, retryAfterSeconds: number): DeliveryResponse {
  const response = jsonResponse(503, { error: { code } })
  return { ...response, headers: [...response.headers, ['Retry-After', String(retryAfterSeconds)]] }
}

/** A JSON response of the listener's own. */
export function jsonResponse(status: number, json: unknown): DeliveryResponse {
  return {
    status,
    headers: [['Content-Type', 'application/json']],
    body: new TextEncoder().encode(JSON.stringify(json)),
  }
}
