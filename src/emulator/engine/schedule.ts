/** The clock and the schedule: nothing happens later but by a job, so to advance the clock is to run the jobs due. */
import type { UploadedStatement } from '../files/statement-lines.ts'
import type { Store } from '../store/store.ts'
import type { TransactionRow } from '../store/transactions.ts'

/** Milliseconds since the epoch on the emulator's clock. */
export interface Clock {
  now(): number
}

export const second = 1000
export const minute = 60 * second
export const hour = 60 * minute
export const day = 24 * hour

export type Job =
  | { readonly kind: 'issue_widget'; readonly connection: number; readonly operation: number }
  | { readonly kind: 'first_signal'; readonly connection: number }
  | { readonly kind: 'finish_widget'; readonly connection: number }
  | { readonly kind: 'after_linking'; readonly connection: number }
  | { readonly kind: 'daily_refresh'; readonly connection: number }
  | {
      readonly kind: 'account_report'
      readonly connection: number
      readonly account: number
      readonly last: boolean
      /** When the service's own refresh began, to which this report belongs. */
      readonly own?: string
    }
  | { readonly kind: 'own_refresh_timeout'; readonly connection: number; readonly since: string }
  | { readonly kind: 'refuse_refresh'; readonly operation: number }
  | { readonly kind: 'refresh_timeout'; readonly operation: number }
  | { readonly kind: 'settle'; readonly account: number; readonly transaction_id: string }
  | {
      readonly kind: 'drop_charge'
      readonly account: number
      readonly transaction_id: string
      readonly quiet: boolean
    }
  | {
      readonly kind: 'reissue'
      readonly account: number
      readonly settled: Omit<TransactionRow, 'seq' | 'pending'>
      readonly quiet: boolean
    }
  | {
      readonly kind: 'extract_statement'
      readonly operation: number
      readonly file: UploadedStatement
    }
  | { readonly kind: 'verification_report'; readonly operation: number; readonly client: number }
  | { readonly kind: 'deliver'; readonly delivery: number }

/** The only kind that leaves the emulator, and so takes real time. */
export type DeliveryJob = Extract<Job, { kind: 'deliver' }>

export interface Schedule {
  /** Schedules a job `ms` from now. Inside a transaction it is rolled back with it. */
  add(ms: number, job: Job): void
  /** True when the same job is scheduled already, at whatever time. */
  has(job: Job): boolean
  /** Called after every `add`; the scheduler sets it to look again for the next job. */
  onAdd: () => void
}

export function createSchedule({ jobs }: Pick<Store, 'jobs'>, clock: Clock): Schedule {
  const schedule: Schedule = {
    onAdd: () => undefined,
    has: (job) => jobs.has(JSON.stringify(job)),
    add(ms, job) {
      jobs.add(clock.now() + ms, JSON.stringify(job))
      schedule.onAdd()
    },
  }
  return schedule
}

/** Schedules the service's own refresh a day from now, unless one is left from before a Connection was disconnected. */
export function scheduleDailyRefresh({ schedule }: { schedule: Schedule }, connection: number): void {
  const job = { kind: 'daily_refresh', connection } as const
  if (!schedule.has(job)) schedule.add(day, job)
}
