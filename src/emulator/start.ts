/** The service on this machine: two bases with identical paths, one store, one clock. */

import { lookup } from 'node:dns/promises'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { basePath } from '../contract/service.ts'
import type { CrowdSize } from './catalog/crowd-model.ts'
import { type Base, type Controls, createControls } from './control/controls.ts'
import { createFaults } from './control/faults.ts'
import { controlPath, controlRoutes } from './control/routes.ts'
import { createSender } from './deliveries/send.ts'
import { createAgenda } from './engine/agenda.ts'
import { type Engine, minute, second } from './engine/engine.ts'
import { createIds, derived } from './engine/ids.ts'
import { createKeyring } from './engine/keyring.ts'
import { createRateLimiter } from './engine/rate-limit.ts'
import { environments, firstKey, portalSecret, seedStore } from './seed.ts'
import { seedCrowd } from './seed-crowd.ts'
import { createApp } from './server/app.ts'
import type { Received } from './server/bodies.ts'
import { openStore, type Store } from './store/store.ts'
import type { Environment } from './store/tenants.ts'
import { createEmulatorClock } from './time/emulator-clock.ts'
import { createScheduler } from './time/scheduler.ts'

/** All durations in milliseconds. */
export interface EmulatorOptions {
  /** Of the sandbox base; 0 picks a free one. 4010 unless said. */
  readonly port?: number
  /** Of the live base. 4011 unless said. */
  readonly livePort?: number
  /** 127.0.0.1 unless said. Bound wider, any Host header is answered. */
  readonly host?: string
  /** The folder the data is kept in; without it, or with `memory`, nothing is kept. */
  readonly dataDir?: string
  readonly memory?: boolean
  /** Ids, keys and made-up data follow from it. 1 unless said; data that is there keeps its own. */
  readonly seed?: number
  /** So many Clients more, for load tests, when the data is first made. Seconds for a million transactions. */
  readonly crowd?: CrowdSize
  /** From the widget URL to the user finishing it without help; without it the user has to. */
  readonly autoLinkMs?: number
  /** Every answer takes so much longer. */
  readonly latencyMs?: number
  /** Requests of one key in a minute; without it there is no limit. */
  readonly rateLimit?: number
  /** Refreshes of one Connection in a day. 100 unless said. */
  readonly refreshBudget?: number
  readonly refreshDurationMs?: number
  readonly refreshTimeoutMs?: number
  /** From the widget URL to the first signal. */
  readonly firstSignalMs?: number
  /** From the link to the trouble its institution plays. */
  readonly troubleMs?: number
  /** From a failed delivery to its first retry; each later one waits twice as long. */
  readonly retryMs?: number
  /** Within which a receiver has to answer, on the wall clock. */
  readonly deliveryTimeoutMs?: number
  /** Real time does not pass: the clock stands at this moment (ISO) until it is advanced. */
  readonly frozenAt?: string
  /** Checks every success body against the contract before it is sent. For tests. */
  readonly strict?: boolean
  readonly onLog?: (line: string) => void
}

export interface Emulator extends Controls {
  readonly sandbox: Base
  readonly live: Base
  /** The second customer's keys, for the ownership rule. */
  readonly otherCustomer: Readonly<Record<Environment, { readonly api_key: string }>>
  readonly controlUrl: string
  readonly seed: number
  /** Resolves when nothing that is due now is left to do and no delivery is under way. */
  settled(): Promise<void>
  stop(): Promise<void>
}

/** Starts it. Rejects when a port is taken, or another emulator holds the data folder. */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const { host = '127.0.0.1', onLog = () => undefined } = options
  const dataFile = dataFileOf(options)
  const store = openAt(dataFile)
  const stored = store.meta.get('seed')
  const seed = stored === undefined ? (options.seed ?? 1) : Number(stored)
  const crowd = crowdOf(store, options)
  const frozen = options.frozenAt === undefined ? undefined : Date.parse(options.frozenAt)
  const wall = () => frozen ?? Date.now()
  const clock = createEmulatorClock(wall, Number(store.meta.get('clock_offset') ?? 0))
  const engine: Engine = {
    store,
    clock,
    ids: createIds(seed, store.meta.count),
    agenda: createAgenda(store, clock),
    settings: settingsOf(options),
    cursorSecret: derived(seed, 'cursors'),
    resolve: async (name) => (await lookup(name, { all: true })).map(({ address }) => address),
    origins: { sandbox: '', live: '' },
  }
  let failures = 0
  const onError = (error: unknown, what: string) => {
    failures += 1
    onLog(`failed: ${what}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
  }
  const faults = createFaults()
  const ending = new AbortController()
  const sleep = (ms: number, signal?: AbortSignal) =>
    wait(ms, undefined, { signal: signal ?? ending.signal }).catch(() => undefined)
  const sender = createSender(options.deliveryTimeoutMs ?? 30 * second)
  const scheduler = createScheduler({
    engine,
    clock,
    deliverer: { sender, wall: () => Date.now(), sleep, faultFor: faults.forDelivery },
    onError,
  })
  const keyring = createKeyring(engine)
  const limiter = createRateLimiter(options.rateLimit)

  // A crowd takes several transactions; what an interrupted start left of it is not marked as seeded, and goes.
  const begin = () => {
    store.db.transaction(() => {
      store.clear()
      store.meta.set('seed', String(seed))
      if (crowd) store.meta.set('crowd', JSON.stringify(crowd))
      seedStore(engine, seed)
    })
    if (crowd) seedCrowd(engine, seed, crowd)
    store.meta.set('seeded', 'yes')
  }
  if (store.meta.get('seeded') === undefined) begin()
  store.idempotentRequests.abandonAll()

  const baseOf = (environment: Environment): Base => ({
    base_url: `${engine.origins[environment]}${basePath}`,
    api_key: firstKey(seed, environment, 'A'),
    portal_secret: portalSecret(seed, environment),
  })
  const controls = createControls({
    engine,
    scheduler,
    faults,
    reset: () =>
      scheduler.between(() => {
        clock.moveTo(0)
        begin()
        keyring.forget()
        faults.clear()
      }),
    status: () => ({
      pid: process.pid,
      seed,
      sandbox: baseOf('sandbox'),
      live: baseOf('live'),
      control_url: `${engine.origins.sandbox}${controlPath}`,
      clock_ahead_ms: clock.offset(),
      data_file: dataFile ?? null,
      failures,
    }),
  })

  const onlyLoopback = host === '127.0.0.1' || host === 'localhost' || host === '::1'
  const apps = environments.map((environment) => ({
    environment,
    app: createApp({
      engine,
      environment,
      keyring,
      limiter,
      faults,
      portalSecret: portalSecret(seed, environment),
      strict: options.strict ?? false,
      latencyMs: options.latencyMs ?? 0,
      onlyLoopback,
      sleep,
      onError,
    }),
  }))
  for (const { app, environment } of apps) {
    if (environment === 'sandbox')
      controlRoutes(app, controls, (body) => (body as Received | undefined)?.json)
  }

  async function stop(): Promise<void> {
    ending.abort()
    await Promise.all(apps.map(({ app }) => app.close()))
    await scheduler.stop()
    await sender.close()
    store.close()
  }

  try {
    const ports = { sandbox: options.port ?? 4010, live: options.livePort ?? 4011 }
    for (const { app, environment } of apps) {
      const address = await app.listen({ host, port: ports[environment] })
      engine.origins[environment] = reachable(address)
    }
  } catch (error) {
    await stop()
    throw error
  }
  scheduler.start()

  return {
    ...controls,
    sandbox: baseOf('sandbox'),
    live: baseOf('live'),
    otherCustomer: {
      sandbox: { api_key: firstKey(seed, 'sandbox', 'B') },
      live: { api_key: firstKey(seed, 'live', 'B') },
    },
    controlUrl: `${engine.origins.sandbox}${controlPath}`,
    seed,
    settled: () => scheduler.settled(),
    stop,
  }
}

/** Made for the user alone: it holds secrets. */
function dataFileOf({ dataDir, memory }: EmulatorOptions): string | undefined {
  if (memory || dataDir === undefined) return undefined
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  return join(dataDir, 'emulator.db')
}

/** Throws when the file is in use, with a sentence that says by what. */
function openAt(file: string | undefined): Store {
  try {
    return openStore(file ?? ':memory:')
  } catch (error) {
    const locked = error instanceof Error && 'errcode' in error && error.errcode === 5
    if (!locked) throw error
    throw new Error(`another emulator is using ${file}`, { cause: error })
  }
}

/** As asked for when the data is first made, then as it was made: a reset makes it again. */
function crowdOf({ meta }: Store, { crowd }: EmulatorOptions): CrowdSize | undefined {
  if (meta.get('seed') === undefined) return crowd
  const stored = meta.get('crowd')
  return stored === undefined ? undefined : (JSON.parse(stored) as CrowdSize)
}

function settingsOf(options: EmulatorOptions): Engine['settings'] {
  return {
    widgetMs: 100,
    firstSignalMs: options.firstSignalMs ?? 500,
    autoLinkMs: options.autoLinkMs,
    troubleMs: options.troubleMs ?? second,
    refreshDurationMs: options.refreshDurationMs ?? second,
    refreshTimeoutMs: options.refreshTimeoutMs ?? 10 * minute,
    refreshBudget: options.refreshBudget ?? 100,
    extractionMs: second,
    reportMs: second,
    retryMs: options.retryMs ?? 10 * second,
    rateLimit: options.rateLimit,
  }
}

/** An address that a client on this machine can use, also when bound to every interface. */
function reachable(address: string): string {
  return address.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
}
