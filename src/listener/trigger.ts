/** Sends deliveries as the service would, with a new signature for each attempt; needs no service. */
import { signedHeaders } from './delivery-headers.ts'
import type { ForwardOutcome } from './events.ts'
import { createForwarder } from './forward.ts'

export interface TriggeredEvent {
  eventId: string | undefined
  type: string | undefined
  /** The exact bytes to send. */
  body: Uint8Array
}

export interface TriggerOptions {
  url: string
  secret: string
  /** The event of each number from 0 on. */
  event: (number: number) => TriggeredEvent
  count: number
  /** Deliveries of each event. */
  copies: number
  /** Deliveries started per second, answered or not; without it each waits for the one before. */
  perSecond?: number | undefined
  /** The age of the timestamps. */
  ageSeconds: number
  timeoutMs: number
  insecureTls: boolean
  clock: {
    now: () => number
    /** Monotonic, for the pace. */
    elapsed: () => number
    sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  }
  signal: AbortSignal
  /** In the order of the answers. */
  onSent: (event: TriggeredEvent, outcome: ForwardOutcome) => void
}

/** Deliveries at the same time, at a given rate. */
const MAX_CONCURRENT = 256

/** Resolves when every delivery was answered or has failed; rejects with the signal's reason. */
export async function trigger(options: TriggerOptions): Promise<void> {
  const { url, secret, perSecond, clock, signal, onSent } = options
  const forwarder = createForwarder({ ...options, timeoutFlag: '--timeout', extraHeaders: [] })
  const abort = () => void forwarder.abort()
  signal.addEventListener('abort', abort, { once: true })

  async function send(event: TriggeredEvent): Promise<void> {
    const at = clock.now() / 1000 - options.ageSeconds
    const signed = await signedHeaders({ ...event, secret, at })
    const headers = [['Content-Type', 'application/json'] as const, ...signed]
    const outcome = await forwarder.forward({ url, method: 'POST', headers, body: event.body })
    signal.throwIfAborted()
    onSent(event, outcome)
  }

  try {
    const running = new Set<Promise<void>>()
    const started = clock.elapsed()
    let number = 0
    for (const event of deliveries(options)) {
      signal.throwIfAborted()
      if (perSecond === undefined) {
        await send(event)
        continue
      }
      const early = started + (number++ * 1000) / perSecond - clock.elapsed()
      if (early > 0) await clock.sleep(early, signal)
      const sending = send(event).finally(() => running.delete(sending))
      // The await below throws it; until then a rejection must not end the process.
      sending.catch(() => {})
      running.add(sending)
      if (running.size >= MAX_CONCURRENT) await Promise.race(running)
    }
    await Promise.all(running)
  } finally {
    signal.removeEventListener('abort', abort)
    await forwarder.close()
  }
}

function* deliveries({ event, count, copies }: TriggerOptions): Generator<TriggeredEvent> {
  for (let number = 0; number < count; number++) {
    const made = event(number)
    for (let copy = 0; copy < copies; copy++) yield made
  }
}
