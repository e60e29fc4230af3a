/** The engine that every rule is given: store, clock, schedule, ids and settings. Rules use no other state or I/O. */
import type { Environment, Tenant } from '../store/customers.ts'
import type { Store } from '../store/store.ts'
import type { Ids } from './ids.ts'
import type { Clock, Schedule } from './schedule.ts'

/** Whose the daily refresh budget is. */
export type BudgetScope = 'connection' | 'customer'

/** All durations in milliseconds on the emulator's clock. */
export interface Settings {
  /** From the call to the widget URL being issued. */
  readonly widgetMs: number
  /** From the widget URL to the first signal, `connection.requires_action`. */
  readonly firstSignalMs: number
  /** From the widget URL to the user finishing it without help; undefined: never. */
  readonly autoLinkMs: number | undefined
  /** From the link to the change of status that its institution's behaviour has. */
  readonly afterLinkingMs: number
  readonly refreshDurationMs: number
  readonly refreshTimeoutMs: number
  /** Refreshes in a day (UTC): of one Connection, or of all those of a customer. */
  readonly refreshBudget: number
  readonly refreshBudgetScope: BudgetScope
  readonly extractionMs: number
  readonly reportMs: number
  /** From a failed delivery to the first retry; each later one waits twice as long. */
  readonly retryMs: number
}

/** Gives the addresses of a host name, like `dns.lookup` with `all`. A rejection means the name does not resolve. */
export type Resolve = (host: string) => Promise<readonly string[]>

export interface Engine {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly schedule: Schedule
  readonly settings: Settings
  /** The key that cursors are signed with, so that no other one is accepted. */
  readonly cursorSecret: string
  /** The addresses behind a host name, for the redirect allowlist. */
  readonly resolve: Resolve
  /** Where each base is reached, without `/v3`; known once it listens. */
  readonly origins: Record<Environment, string>
  /** Trace id of the request or the job at work, which every error object that it leaves behind carries. */
  readonly traceId: () => string
}

/** The engine for one piece of work, for which a trace id is made when the first error object needs it. */
export function forOneJob(engine: Engine): Engine {
  let made: string | undefined
  return {
    ...engine,
    traceId() {
      made ??= engine.ids.uuid('trace')
      return made
    },
  }
}

/** Now, or a moment `ms` from now, as the wire has it. */
export function isoNow({ clock }: Pick<Engine, 'clock'>, ms = 0): string {
  return new Date(clock.now() + ms).toISOString()
}

/** Today's date in UTC. */
export function today(engine: Pick<Engine, 'clock'>): string {
  return isoNow(engine).slice(0, 10)
}

/** The tenant of a row. Throws when there is none: the store was damaged. */
export function tenantOf({ store }: Pick<Engine, 'store'>, seq: number): Tenant {
  const tenant = store.tenants.get(seq)
  if (!tenant) throw new Error(`no tenant ${seq}`)
  return tenant
}
