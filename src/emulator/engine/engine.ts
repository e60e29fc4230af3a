/** What the rules are given: the memory, the time, chance, and the settings. The rules bring nothing of their own. */
import type { Store } from '../store/store.ts'
import type { Environment, Tenant } from '../store/tenants.ts'
import type { Agenda } from './agenda.ts'
import type { Clock } from './clock.ts'
import type { Ids } from './ids.ts'
import type { Resolve } from './redirect-rules.ts'

/** All durations in milliseconds on the emulator's clock. */
export interface Settings {
  /** From the call to the widget URL being issued. */
  readonly widgetMs: number
  /** From the widget URL to the first signal, `connection.requires_action`. */
  readonly firstSignalMs: number
  /** From the widget URL to the user finishing it without help; undefined: never. */
  readonly autoLinkMs: number | undefined
  /** From the link to the trouble that the institution plays. */
  readonly troubleMs: number
  readonly refreshDurationMs: number
  readonly refreshTimeoutMs: number
  /** Refreshes of one Connection in a day (UTC). */
  readonly refreshBudget: number
  readonly extractionMs: number
  readonly reportMs: number
  /** From a failed delivery to the first retry; each later one waits twice as long. */
  readonly retryMs: number
}

export interface Engine {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly agenda: Agenda
  readonly settings: Settings
  /** Keys the cursors, so that only this emulator can make one. */
  readonly cursorSecret: string
  /** The addresses behind a host name, for the redirect allowlist. */
  readonly resolve: Resolve
  /** Where each base is reached, without `/v3`; known once it listens. */
  readonly origins: Record<Environment, string>
}

export const second = 1000
export const minute = 60 * second
export const hour = 60 * minute
export const day = 24 * hour

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
