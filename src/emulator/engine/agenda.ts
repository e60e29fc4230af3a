/** What the rules put off. Nothing happens later unless it stands here, so `advance` only has to work through it. */
import type { Store } from '../store/store.ts'
import type { Clock } from './clock.ts'

export type Job =
  | { readonly kind: 'issue_widget'; readonly connection: number; readonly operation: number }
  | { readonly kind: 'first_signal'; readonly connection: number }
  | { readonly kind: 'finish_widget'; readonly connection: number }
  | { readonly kind: 'trouble'; readonly connection: number }
  | { readonly kind: 'daily_refresh'; readonly connection: number }
  | {
      readonly kind: 'account_report'
      readonly connection: number
      readonly account: number
      readonly last: boolean
    }
  | { readonly kind: 'refuse_refresh'; readonly operation: number }
  | { readonly kind: 'refresh_timeout'; readonly operation: number }
  | { readonly kind: 'settle'; readonly account: number; readonly transaction_id: string }
  | {
      readonly kind: 'extract_statement'
      readonly operation: number
      readonly file: { name: string; bytes: number }
    }
  | { readonly kind: 'verification_report'; readonly operation: number; readonly client: number }
  | { readonly kind: 'deliver'; readonly delivery: number }

/** The only kind that leaves the emulator, and so takes real time. */
export type Delivering = Extract<Job, { kind: 'deliver' }>

export interface Agenda {
  /** Puts a job on the agenda, `ms` from now. Inside a transaction it stands or falls with it. */
  add(ms: number, job: Job): void
  /** Whether this very job waits, whenever it is due. */
  has(job: Job): boolean
  /** Called after every `add`; set by whoever sleeps until the next job. */
  onAdd: () => void
}

export function createAgenda({ jobs }: Pick<Store, 'jobs'>, clock: Clock): Agenda {
  const agenda: Agenda = {
    onAdd: () => undefined,
    has: (job) => jobs.has(JSON.stringify(job)),
    add(ms, job) {
      jobs.add(clock.now() + ms, JSON.stringify(job))
      agenda.onAdd()
    },
  }
  return agenda
}
