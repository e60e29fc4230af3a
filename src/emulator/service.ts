/** Opens everything that both bases share: data, clock, schedule, deliveries. It does not listen yet. */
import { lookup } from 'node:dns/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { createFaults, type Faults } from './control/faults.ts'
import { createSender } from './deliveries/send.ts'
import { type Authenticator, createAuthenticator } from './engine/api-keys.ts'
import type { Engine } from './engine/engine.ts'
import { createIds, derived } from './engine/ids.ts'
import { createSchedule, second } from './engine/schedule.ts'
import { createRequestLog, type RequestLog } from './log/request-log.ts'
import { dataFileOf, type EmulatorOptions, settingsOf } from './options.ts'
import { type Origin, openData, originOf } from './seed.ts'
import { openStore, type Store } from './store/store.ts'
import { createEmulatorClock, type EmulatorClock } from './time/emulator-clock.ts'
import { createScheduler, type Scheduler } from './time/scheduler.ts'

export interface Service {
  readonly engine: Engine
  readonly clock: EmulatorClock
  readonly scheduler: Scheduler
  readonly authenticator: Authenticator
  readonly faults: Faults
  readonly log: RequestLog
  readonly origin: Origin
  /** Undefined in memory. */
  readonly dataFile: string | undefined
  /** Waits on the wall clock; at once when the service ends. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  /** Counts and logs an unexpected error. */
  readonly onError: (error: unknown, what: string) => void
  /** Every cursor made until now is refused. */
  refuseCursors(): void
  failures(): number
  /** Makes the data of the first start again. */
  reset(): Promise<void>
  /** Ends what is under way and closes the store. */
  end(): Promise<void>
}

/** Opens the data, made first where there is none. Throws when another emulator holds the folder. */
export function openService(options: EmulatorOptions): Service {
  const { onLog = () => undefined } = options
  const dataFile = dataFileOf(options)
  const store = openAt(dataFile)
  const origin = originOf(store, options.seed)
  const frozen = options.frozenAt === undefined ? undefined : Date.parse(options.frozenAt)
  const clock = createEmulatorClock(() => frozen ?? Date.now(), Number(store.meta.get('clock_offset') ?? 0))
  const cursors = createCursorSecret(store, origin.seed)
  const engine: Engine = {
    store,
    clock,
    ids: createIds(origin.seed, origin.root, store.meta.count),
    schedule: createSchedule(store, clock),
    settings: settingsOf(options),
    get cursorSecret() {
      return cursors.secret
    },
    resolve: async (name) => (await lookup(name, { all: true })).map(({ address }) => address),
    origins: { sandbox: '', live: '' },
    traceId: () => engine.ids.uuid('trace'),
  }
  const data = orClosed(store, () => openData(engine, origin, options.crowd))
  const ending = new AbortController()
  const faults = createFaults()
  const authenticator = createAuthenticator(engine)
  const sender = createSender(options.deliveryTimeoutMs ?? 30 * second)
  const sleep: Service['sleep'] = (ms, signal = ending.signal) =>
    wait(ms, undefined, { signal }).catch(() => undefined)
  let failures = 0
  const onError: Service['onError'] = (error, what) => {
    failures += 1
    onLog(`failed: ${what}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
  }
  const log = createRequestLog({ store, onRequest: options.onRequest, onError })
  const deliverer = { sender, wall: () => Date.now(), sleep, faultFor: faults.forDelivery }
  const scheduler = createScheduler({ engine, clock, deliverer, onError })
  return {
    engine,
    clock,
    scheduler,
    authenticator,
    faults,
    log,
    origin,
    dataFile,
    sleep,
    onError,
    refuseCursors: () => cursors.change(),
    failures: () => failures,
    reset: () =>
      scheduler.between(() => {
        clock.moveTo(0)
        log.forget()
        data.makeAnew()
        cursors.startAnew()
        authenticator.forget()
        faults.clear()
      }),
    async end() {
      ending.abort()
      await scheduler.stop()
      await sender.close()
      log.close()
      store.close()
    },
  }
}

/** The key that cursors are signed with: the same at every start, until it is changed. */
function createCursorSecret({ meta }: Store, seed: number) {
  const now = () => derived(seed, 'cursors', Number(meta.get('cursor_secrets') ?? 0))
  const cursors = {
    secret: now(),
    change() {
      meta.set('cursor_secrets', String(Number(meta.get('cursor_secrets') ?? 0) + 1))
      cursors.secret = now()
    },
    startAnew() {
      cursors.secret = now()
    },
  }
  return cursors
}

/** Closes the store when `work` throws, so that the next start can open it. */
function orClosed<T>(store: Store, work: () => T): T {
  try {
    return work()
  } catch (error) {
    store.close()
    throw error
  }
}

/** Throws, naming the file, when another emulator uses it. */
function openAt(file: string | undefined): Store {
  try {
    return openStore(file ?? ':memory:')
  } catch (error) {
    const locked = error instanceof Error && 'errcode' in error && error.errcode === 5
    if (!locked) throw error
    throw new Error(`another emulator is using ${file}`, { cause: error })
  }
}
