/** Deliveries as the service sends them: rightly signed, each on a connection of its own, again until one is answered 2xx. */
import { createHmac, randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

export const secret = 'whsec_attack'

export interface Delivery {
  readonly id: string
  /** Milliseconds from the first attempt to the 2xx; undefined when none came. */
  readonly waitedMs: number | undefined
}

export interface Stream {
  readonly url: string
  readonly perSecond: number
  readonly seconds: number
  /** Of a body. */
  readonly bytes: number
}

const ATTEMPT_MS = 10_000
const PAUSE_MS = 250
/** How long deliveries go on being tried after the last was begun. */
const PATIENCE_MS = 40_000

export async function sendDeliveries({ url, perSecond, seconds, bytes }: Stream): Promise<Delivery[]> {
  const sent: Promise<Delivery>[] = []
  const started = performance.now()
  const giveUpAt = started + seconds * 1000 + PATIENCE_MS
  while (performance.now() < started + seconds * 1000) {
    sent.push(deliverUntilTaken(url, bytes, giveUpAt))
    // By the clock: a late turn of the event loop is made up for.
    await sleep(Math.max(0, started + (sent.length * 1000) / perSecond - performance.now()))
  }
  return Promise.all(sent)
}

async function deliverUntilTaken(url: string, bytes: number, giveUpAt: number): Promise<Delivery> {
  const id = `evt_${randomUUID()}`
  const started = performance.now()
  while (performance.now() < giveUpAt) {
    const status = await post(url, id, eventBody(id, bytes))
    if (status !== undefined && status >= 200 && status < 300)
      return { id, waitedMs: performance.now() - started }
    await sleep(PAUSE_MS)
  }
  return { id, waitedMs: undefined }
}

export function eventBody(id: string, bytes = 0): string {
  const event = {
    event_id: id,
    type: 'connection.active',
    created_at: '2026-05-22T10:00:00Z',
    api_version: '2026-05-22',
    livemode: false,
    data: { connection: { id: 'con_FDE_123', source: 'FDE', status: 'active', client_id: 'cli_demo' } },
    note: '',
  }
  event.note = 'x'.repeat(Math.max(0, bytes - JSON.stringify(event).length))
  return JSON.stringify(event)
}

/** Signed anew, as each attempt of the service is. */
export function signedHeaders(id: string, body: string): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1000))
  return {
    'content-type': 'application/json',
    'x-ls-webhook-event-id': id,
    'x-ls-webhook-event-type': 'connection.active',
    'x-ls-webhook-timestamp': timestamp,
    'x-ls-webhook-signature': createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex'),
  }
}

/** The status of the answer; undefined when none came. */
export function post(
  url: string,
  id: string,
  body: string,
  headers: Record<string, string> = signedHeaders(id, body),
): Promise<number | undefined> {
  return new Promise((resolve) => {
    const call = request(url, {
      method: 'POST',
      agent: false,
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      signal: AbortSignal.timeout(ATTEMPT_MS),
    })
    call.on('error', () => resolve(undefined))
    call.on('response', (answer) => {
      answer.resume()
      answer.on('error', () => resolve(undefined))
      answer.on('end', () => resolve(answer.statusCode))
    })
    call.end(body)
  })
}
