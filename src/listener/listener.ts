/**
 * Receives webhook deliveries, verifies and records them, and forwards them to a server under development. Emits
 * typed events and prints nothing.
 *
 *     const listener = createListener({ environment: 'local', inbox, secrets, clock, forward: [{ url }] })
 *     listener.subscribe((event) => console.log(event.kind))
 *     const { url } = await listener.start()
 */
import { type AddressInfo, Server as SocketServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { BodyMemory } from './body-memory.ts'
import { Connections } from './connections.ts'
import type { ListenerEvent } from './events.ts'
import { createExplainer } from './explainer.ts'
import { createForwarder } from './forward.ts'
import { holdUnexplained } from './hold-unexplained.ts'
import type { ListenerOptions } from './options.ts'
import { createReceiver } from './receive.ts'
import { createDeliveryServer } from './server.ts'
import { createTargetHealth } from './target-health.ts'

export interface Listener {
  /** Calls the handler for every event from now on; returns a function that unsubscribes it. */
  subscribe(handler: (event: ListenerEvent) => void): () => void
  /** Resolves once deliveries are accepted. Rejects with the system's error, such as EADDRINUSE. */
  start(): Promise<{ url: string; port: number }>
  /**
   * Accepts nothing more, closes the connections whose request has not arrived, and resolves when every delivery that has
   * is answered: within the time that a forward may take. With `force`, and on a second call, those end unanswered: the
   * service sends them again.
   */
  close(options?: { force?: boolean }): Promise<void>
}

const defaults = {
  host: '127.0.0.1',
  port: 4020,
  maxBodyBytes: 1024 * 1024,
  forwardTimeoutMs: 30_000,
  requestTimeoutMs: 30_000,
  probeEveryMs: 2000,
}

/** How long the last answers get to leave when the listener closes. */
const LAST_ANSWERS_MS = 1000
/** How long the explanations get that are waiting then. */
const LAST_EXPLANATIONS_MS = 2000

export function createListener(options: ListenerOptions): Listener {
  const { clock, forward: routes = [], host = defaults.host, port = defaults.port } = options
  const path = `/${(options.path ?? '').replace(/^\/+|\/+$/g, '')}`
  const handlers = new Set<(event: ListenerEvent) => void>()
  const emit = (event: ListenerEvent) => {
    for (const handler of handlers) isolated(() => handler(event))
  }

  const { forwardTimeoutMs = defaults.forwardTimeoutMs } = options
  const memory = new BodyMemory(options.maxBytesInFlight)
  const connections = new Connections({
    max: options.maxConnections,
    maxPerAddress: options.maxConnectionsPerAddress,
    trustedProxies: options.trustedProxies,
  })
  const forwarder = createForwarder({
    timeoutMs: forwardTimeoutMs,
    memory,
    insecureTls: options.insecureTls ?? false,
    extraHeaders: options.extraHeaders ?? [],
  })
  const health = createTargetHealth({
    urls: routes.map(({ url }) => url),
    everyMs: options.probeEveryMs ?? defaults.probeEveryMs,
    onChange: (url, up, error) =>
      emit(
        up
          ? { kind: 'target-up', at: clock.now(), url }
          : { kind: 'target-down', at: clock.now(), url, error },
      ),
  })
  const explainer = createExplainer({ program: options.diagnosisProgram })
  const unexplained = holdUnexplained({
    inbox: options.inbox,
    emit,
    onError: (error) => emit({ kind: 'error', at: clock.now(), error, fatal: false }),
  })
  let subscription = options.subscription
  const receive = createReceiver(options, {
    forwarder,
    forwardTimeoutMs,
    explainer,
    emit: unexplained.emit,
    subscription: () => subscription,
    onForward: ({ url, failure, error }) => {
      if (failure === undefined || failure === 'unreachable') health.seen(url, failure && error)
    },
  })

  const server = createDeliveryServer({
    boundTo: host,
    publicUrl: options.publicUrl,
    prefix: path === '/' ? '' : path,
    maxBodyBytes: options.maxBodyBytes ?? defaults.maxBodyBytes,
    requestTimeoutMs: options.requestTimeoutMs ?? defaults.requestTimeoutMs,
    memory,
    connections,
    receive,
    onRefused: (refused) => emit({ kind: 'refused', at: clock.now(), ...refused }),
    onError: (error) => emit({ kind: 'error', at: clock.now(), error, fatal: false }),
  })
  let closing: Promise<void> | undefined
  let cutShort = false

  async function drain(): Promise<void> {
    health.stop()
    // Not that of an HTTP server: it would also cut connections whose answer is still leaving.
    const closed = new Promise((resolve) => SocketServer.prototype.close.call(server, resolve))
    // A repeat that waited for the forward of another starts its own late.
    const late = setTimeout(() => void forwarder.abort(), forwardTimeoutMs)
    await connections.drain()
    clearTimeout(late)
    // The last answers may still be leaving.
    await Promise.race([closed, sleep(LAST_ANSWERS_MS, undefined, { ref: false })])
    server.closeAllConnections()
    // Ends its search for late requests.
    server.close()
    await forwarder.close()
    const explained = unexplained.released()
    await Promise.race([explained, sleep(LAST_EXPLANATIONS_MS, undefined, { ref: false })])
    await explainer.close()
    await explained
  }

  async function close({ force = false } = {}): Promise<void> {
    const forced = force || closing !== undefined
    if (!forced && forwarder.running > 0) {
      emit({ kind: 'closing', at: clock.now(), forwards: forwarder.running, timeoutMs: forwardTimeoutMs })
    }
    cutShort ||= forced && connections.handled > 0
    closing ??= drain().then(() => emit({ kind: 'closed', at: clock.now(), forced: cutShort }))
    if (forced) {
      await Promise.all([forwarder.abort(), explainer.close()])
      server.closeAllConnections()
    }
    await closing
    // Pending writes are stored before the caller may close the inbox.
    await options.inbox.batch(() => undefined).catch(() => undefined)
  }

  return {
    subscribe(handler) {
      handlers.add(handler)
      return () => handlers.delete(handler)
    },
    async start() {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject)
        server.listen({ host, port }, resolve)
      })
      server.on('error', (error) => emit({ kind: 'error', at: clock.now(), error, fatal: true }))
      const bound = (server.address() as AddressInfo).port
      const url = `http://${host.includes(':') ? `[${host}]` : host}:${bound}${path}`
      const targets = routes.map((route) => (route.match ? `${route.match}=${route.url}` : route.url))
      if (options.onBound !== undefined) {
        try {
          subscription = await options.onBound(url)
        } catch (error) {
          await close({ force: true })
          throw error
        }
      }
      emit({ kind: 'ready', at: clock.now(), url, environment: options.environment, subscription, targets })
      health.start()
      return { url, port: bound }
    },
    close,
  }
}

/** An error of a handler must not lose a delivery: it becomes an uncaught one instead. */
function isolated(call: () => void): void {
  try {
    call()
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
