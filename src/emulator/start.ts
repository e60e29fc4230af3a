/** Starts the service on this machine: two bases with identical paths over one store and one clock. */
import { basePath } from '../contract/service.ts'
import { createGuard } from './console/guard.ts'
import { clockOf } from './console/overview.ts'
import { placeRoutes } from './console/places.ts'
import { consoleRoutes } from './console/routes.ts'
import { type BaseAccess, type Controls, createControls } from './control/controls.ts'
import { controlPath, controlRoutes } from './control/routes.ts'
import type { EmulatorOptions } from './options.ts'
import { firstKey, portalSecret } from './seed.ts'
import { createApp, formOf } from './server/app.ts'
import { readable } from './server/request.ts'
import { type BoundTo, createRateLimiter } from './server/request-checks.ts'
import { openService, type Service } from './service.ts'
import type { Environment } from './store/customers.ts'

export interface Emulator extends Controls {
  readonly sandbox: BaseAccess
  readonly live: BaseAccess
  /** The second customer's keys, for the ownership rule. */
  readonly otherCustomer: Readonly<Record<Environment, { readonly api_key: string }>>
  readonly controlUrl: string
  /** Opens the console in a browser, with a token of this start. */
  readonly consoleUrl: string
  readonly seed: number
  /** True when keys, signing secrets and tokens follow from the seed. */
  readonly predictable: boolean
  /** Resolves when no job is due and no delivery is under way. */
  settled(): Promise<void>
  /** Ends it in order. A second call waits for the same end. */
  stop(): Promise<void>
}

const defaultPorts = { sandbox: 4010, live: 4011 } as const

/** Starts it. Rejects when a port is taken, or another emulator holds the data folder. */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const service = openService(options)
  const { engine, scheduler, origin } = service
  const guard = createGuard()
  const controls = controlsOf(service, guard.token)
  const apps = appsOf(service, options)
  placeRoutes(apps.sandbox, 'sandbox', engine.origins)
  placeRoutes(apps.live, 'live', engine.origins)
  consoleRoutes(apps.sandbox, {
    engine,
    log: service.log,
    guard,
    controls,
    formOf,
    clock: () =>
      clockOf(engine, {
        runs: options.frozenAt === undefined,
        ahead: service.clock.offset(),
        faults: service.faults.list().length,
      }),
    bases: () =>
      (['sandbox', 'live'] as const).map((environment) => ({
        environment,
        url: `${engine.origins[environment]}${basePath}`,
        key: firstKey(origin.root, environment, 'A').slice(0, 12),
      })),
  })
  controlRoutes(apps.sandbox, controls, (body) => readable(body)?.json)

  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= Promise.all([apps.sandbox.close(), apps.live.close()]).then(() => service.end())
    return stopped
  }
  try {
    const { port = defaultPorts.sandbox, livePort = defaultPorts.live } = options
    const { host, publicHost } = boundTo(options)
    engine.origins.sandbox = reachable(await apps.sandbox.listen({ host, port }), publicHost)
    engine.origins.live = reachable(await apps.live.listen({ host, port: livePort }), publicHost)
  } catch (error) {
    await stop()
    throw error
  }
  scheduler.start()

  const { sandbox, live, control_url: controlUrl, console_url: consoleUrl } = controls.status()
  return {
    ...controls,
    sandbox,
    live,
    otherCustomer: {
      sandbox: { api_key: firstKey(origin.root, 'sandbox', 'B') },
      live: { api_key: firstKey(origin.root, 'live', 'B') },
    },
    controlUrl,
    consoleUrl,
    seed: origin.seed,
    predictable: typeof origin.root === 'number',
    settled: () => scheduler.settled(),
    stop,
  }
}

function controlsOf(service: Service, consoleToken: string): Controls {
  const { engine, scheduler, faults, log, origin, clock, dataFile, refuseCursors, reset, failures } = service
  const baseOf = (environment: Environment): BaseAccess => ({
    base_url: `${engine.origins[environment]}${basePath}`,
    api_key: firstKey(origin.root, environment, 'A'),
    portal_secret: portalSecret(origin.root, environment),
  })
  return createControls({
    engine,
    scheduler,
    faults,
    log,
    refuseCursors,
    reset,
    status: () => ({
      pid: process.pid,
      seed: origin.seed,
      sandbox: baseOf('sandbox'),
      live: baseOf('live'),
      control_url: `${engine.origins.sandbox}${controlPath}`,
      console_url: `${engine.origins.sandbox}/?token=${consoleToken}`,
      clock_ahead_ms: clock.offset(),
      data_file: dataFile ?? null,
      failures: failures(),
    }),
  })
}

/** One app for each base, with a rate limit over both. */
function appsOf(
  { engine, authenticator, faults, log, origin, sleep, onError }: Service,
  options: EmulatorOptions,
) {
  const { rateLimit, strict = false, latencyMs = 0 } = options
  const limiter = createRateLimiter(rateLimit)
  const shared = { engine, authenticator, limiter, faults, bodies: { held: 0 }, log, sleep, onError }
  const parts = { ...shared, strict, latencyMs, boundTo: boundTo(options) }
  const appOf = (environment: Environment) =>
    createApp({ ...parts, environment, portalSecret: portalSecret(origin.root, environment) })
  return { sandbox: appOf('sandbox'), live: appOf('live') }
}

function boundTo({ host = '127.0.0.1', publicHost }: EmulatorOptions): BoundTo {
  return { host, publicHost }
}

/** The address for links: with the name that others use, else one that this machine can use. */
function reachable(address: string, publicHost: string | undefined): string {
  if (publicHost !== undefined) return `http://${publicHost}:${new URL(address).port || 80}`
  return address.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
}
