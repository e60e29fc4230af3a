/** Controls of the emulator itself, by HTTP under `/_emulator/` and in the same process. */
import { type Engine, forOneJob, isoNow } from '../engine/engine.ts'
import { ServiceError } from '../engine/errors.ts'
import { finishWidget, isLinkOver } from '../engine/linking.ts'
import type { RequestLog } from '../log/request-log.ts'
import type { Environment } from '../store/customers.ts'
import type { Scheduler } from '../time/scheduler.ts'
import { type Bank, bankOf, type RelinkOptions, relinked } from './bank.ts'
import { type BankChange, changeAtBank as carryOut } from './bank-changes.ts'
import type { BankOrder } from './bank-order.ts'
import type { Faults } from './faults.ts'
import type { TriggerOrder } from './trigger-order.ts'
import { findConnection, type Triggered, trigger } from './triggers.ts'

export interface BaseAccess {
  readonly base_url: string
  readonly api_key: string
  readonly portal_secret: string
}

export interface Bases {
  readonly sandbox: BaseAccess
  readonly live: BaseAccess
  readonly control_url: string
  /** Opens the console in a browser. */
  readonly console_url: string
}

export interface Status extends Bases {
  readonly pid: number
  readonly seed: number
  /** The emulator's time, and how far it is ahead of the wall clock, in milliseconds. */
  readonly clock: string
  readonly clock_ahead_ms: number
  /** Where the data is; null in memory. */
  readonly data_file: string | null
  readonly jobs_waiting: number
  readonly next_job_at: string | null
  readonly deliveries: { readonly pending: number; readonly delivered: number; readonly given_up: number }
  readonly faults: number
  /** Jobs and requests that failed by a fault of the emulator. */
  readonly failures: number
}

export interface Controls {
  status(): Status
  /** Moves the clock and runs what falls due on the way. */
  advance(ms: number): Promise<{ clock: string; jobs_run: number }>
  /** The user finishes the widget. Takes the placeholder, or for FDE the canonical id; answers the canonical one. */
  link(connectionId: string): { connection_id: string; client_id: string; environment: Environment }
  trigger(order: TriggerOrder): Triggered
  changeAtBank(order: BankOrder): BankChange
  /** The bank of an account, of the sandbox unless said. */
  bank(account: string, environment?: Environment): Bank
  /** The user links the bank of a Connection again. Returns the new id. */
  relink(connection: string, how?: RelinkOptions): string
  /** Every cursor made until now is refused as one of another query. */
  refuseCursors(): void
  /** Makes the data of the first start again, with the same seed. */
  reset(): Promise<void>
  readonly faults: Faults
  /** The requests that were answered, of both bases. */
  requests: RequestLog['list']
}

export interface ControlParts {
  readonly engine: Engine
  readonly scheduler: Scheduler
  readonly faults: Faults
  readonly log: RequestLog
  readonly refuseCursors: () => void
  readonly reset: () => Promise<void>
  readonly status: () => Omit<Status, 'clock' | 'jobs_waiting' | 'next_job_at' | 'deliveries' | 'faults'>
}

export function createControls({
  engine,
  scheduler,
  faults,
  log,
  refuseCursors,
  reset,
  status,
}: ControlParts): Controls {
  const { store } = engine
  const changeAtBank: Controls['changeAtBank'] = (order) =>
    store.db.transaction(() => carryOut(forOneJob(engine), order))
  return {
    faults,
    requests: (wanted) => log.list(wanted),
    refuseCursors,
    changeAtBank,
    bank: (account, environment) => bankOf(changeAtBank, account, environment),
    relink: (connection, how) => relinked(changeAtBank, connection, how),
    reset,
    status() {
      const next = store.jobs.nextDueAt()
      const { countByState } = store.deliveries
      return {
        ...status(),
        clock: isoNow(engine),
        jobs_waiting: store.jobs.count(),
        next_job_at: next === undefined ? null : new Date(next).toISOString(),
        deliveries: {
          pending: countByState('pending'),
          delivered: countByState('delivered'),
          given_up: countByState('given_up'),
        },
        faults: faults.list().length,
      }
    },
    async advance(ms) {
      const jobs_run = await scheduler.advance(ms)
      return { clock: isoNow(engine), jobs_run }
    },
    link(connectionId) {
      const { tenant, seq } = findConnection(store, connectionId)
      const linked = store.db.transaction(() => finishWidget(engine, seq))
      if (isLinkOver(linked)) {
        throw new ServiceError('invalid_request', `The link is ${linked.status}; the user cannot finish it.`)
      }
      const { id, client_id } = linked
      const environment = store.tenants.get(tenant)?.environment ?? 'sandbox'
      return { connection_id: id, client_id, environment }
    },
    trigger: (order) => store.db.transaction(() => trigger(forOneJob(engine), order)),
  }
}
