/**
 * Starts the service for the tests of a program that calls it: `import { startEmulator } from 'bankapi/emulator'`.
 *
 *     const emulator = await startEmulator()
 *     const answer = await fetch(`${emulator.baseUrl}/clients`, {
 *       headers: { Authorization: `Bearer ${emulator.apiKey}` },
 *     })
 *     await emulator.advance('24h')
 *     await emulator.stop()
 *
 * Every emulator has a free port of its own and keeps its data in memory, so that tests can run side by side.
 */
import { parseDuration } from './cli/command/duration.ts'
import { startEmulator as start } from './emulator/start.ts'

/** Durations are text: `90s`, `5m`, `24h`, `1h30m`. */
export interface StartOptions {
  /** The port of the sandbox base; a free one unless given. */
  readonly port?: number
  /**
   * Ids and made-up data follow from it; 1 unless given. Only a seed that is given makes keys, signing secrets and tokens
   * follow from it, too: they are random otherwise.
   */
  readonly seed?: number
  /** The clock stands at this moment (ISO-8601) until it is advanced; it runs with the wall clock unless given. */
  readonly frozenAt?: string
  /** From the widget URL to the user finishing it without help; without it a test calls `link`. */
  readonly autoLink?: string
  /** How long a refresh takes; one second unless given. */
  readonly refreshDuration?: string
  /** Requests of one key in a minute; without it there is no limit. */
  readonly rateLimit?: number
  /** Refreshes of one Connection in a day; 100 unless given. */
  readonly refreshBudget?: number
}

/** Where an environment is reached, and what it accepts. */
export interface EmulatorEnvironment {
  /** Ends in `/v3`. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly portalSecret: string
}

/** A running emulator. Its own address and keys are those of the sandbox. */
export interface Emulator extends EmulatorEnvironment {
  /** The same paths with live keys; the data of the two never mixes. */
  readonly live: EmulatorEnvironment
  /** Moves the clock on and runs what falls due on the way: refreshes, deliveries and their retries, expiries. */
  advance(duration: string): Promise<void>
  /**
   * The user finishes the widget of a Connection. Takes the placeholder id, or for FDE the canonical one.
   * @returns the canonical id
   */
  link(connectionId: string): string
  /** Resolves when no job is due and no delivery is under way. */
  settled(): Promise<void>
  /** Makes the data of the start again. */
  reset(): Promise<void>
  stop(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Starts an emulator. Rejects when its port is taken, or when a duration is not one. */
export async function startEmulator(options: StartOptions = {}): Promise<Emulator> {
  const { port = 0, autoLink, refreshDuration, ...same } = options
  const emulator = await start({
    ...same,
    port,
    livePort: 0,
    memory: true,
    ...(autoLink === undefined ? {} : { autoLinkMs: parseDuration(autoLink) }),
    ...(refreshDuration === undefined ? {} : { refreshDurationMs: parseDuration(refreshDuration) }),
  })
  return {
    ...environmentOf(emulator.sandbox),
    live: environmentOf(emulator.live),
    async advance(duration) {
      await emulator.advance(parseDuration(duration))
    },
    link: (connectionId) => emulator.link(connectionId).connection_id,
    settled: () => emulator.settled(),
    reset: () => emulator.reset(),
    stop: () => emulator.stop(),
    [Symbol.asyncDispose]: () => emulator.stop(),
  }
}

type BaseAccess = Awaited<ReturnType<typeof start>>['sandbox']

function environmentOf({ base_url, api_key, portal_secret }: BaseAccess): EmulatorEnvironment {
  return { baseUrl: base_url, apiKey: api_key, portalSecret: portal_secret }
}
