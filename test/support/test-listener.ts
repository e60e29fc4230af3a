/** Starts a listener on a free port with a new inbox, and records its events. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type FileInbox, type OpenInbox, openInbox } from '../../src/inbox/open.ts'
import type { ListenerEvent } from '../../src/listener/events.ts'
import { createListener, type Listener } from '../../src/listener/listener.ts'
import type { ListenerOptions } from '../../src/listener/options.ts'
import { signWebhook } from '../../src/signing/webhook.ts'

export const secret = 'whsec_4f1d2c9b8a7e6f5d4c3b2a1908f7e6d5'

export interface TestListener {
  listener: Listener
  inbox: FileInbox
  /** Of the inbox's file. */
  path: string
  url: string
  port: number
  events: ListenerEvent[]
  /** Events of one kind so far. */
  of<K extends ListenerEvent['kind']>(kind: K): Extract<ListenerEvent, { kind: K }>[]
  stop(): Promise<void>
}

export async function startTestListener(
  options: Partial<ListenerOptions> = {},
  inboxOptions: Partial<OpenInbox> = {},
): Promise<TestListener> {
  const folder = mkdtempSync(join(tmpdir(), 'bankapi-listener-'))
  const { path = join(folder, 'inbox.sqlite') } = inboxOptions
  const inbox = openInbox({ now: Date.now, ...inboxOptions, path })
  const listener = createListener({
    environment: 'local',
    inbox,
    secrets: async () => [secret],
    clock: { now: Date.now },
    port: 0,
    ...options,
  })
  const events: ListenerEvent[] = []
  listener.subscribe((event) => events.push(event))
  const { url, port } = await listener.start()
  return {
    listener,
    inbox,
    path,
    url,
    port,
    events,
    of: (kind) => events.filter((event) => event.kind === kind) as never,
    async stop() {
      await listener.close({ force: true })
      inbox.close()
      rmSync(folder, { recursive: true })
    },
  }
}

/** The headers of a delivery as the service signs it; `over` replaces or, with undefined, removes one. */
export async function signedHeaders(
  body: string | Uint8Array,
  { key = secret, at = Math.floor(Date.now() / 1000) }: { key?: string; at?: number } = {},
): Promise<Record<string, string>> {
  const timestamp = String(at)
  const signature = await signWebhook({ secret: key, timestamp, body: Buffer.from(body) })
  return {
    'Content-Type': 'application/json',
    'X-LS-Webhook-Event-Id': 'evt_1',
    'X-LS-Webhook-Event-Type': 'webhook.test',
    'X-LS-Webhook-Timestamp': timestamp,
    'X-LS-Webhook-Signature': signature,
  }
}

/** An event's body, with a new id unless one is given. */
export function eventBody(eventId = `evt_${crypto.randomUUID()}`, type = 'connection.active'): string {
  return JSON.stringify({
    event_id: eventId,
    type,
    created_at: '2026-09-21T13:33:20Z',
    api_version: '2026-05-22',
    livemode: false,
    data: { connection: { id: 'con_FDE_123', source: 'FDE', status: 'active', client_id: 'cli_demo' } },
  })
}

/** Sends a delivery, signed with the secret or with the given headers. */
export async function deliver(
  url: string,
  body: string | Uint8Array = eventBody(),
  headers?: Record<string, string>,
): Promise<Response> {
  const sent = headers ?? (await signedHeaders(body))
  return fetch(url, { method: 'POST', body: Buffer.from(body), headers: sent })
}
