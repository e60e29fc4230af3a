/** What each kind of job does when its time comes. */
import type { Delivering, Job } from './agenda.ts'
import { refreshDaily } from './daily-refresh.ts'
import type { Engine } from './engine.ts'
import { extractStatement } from './extraction.ts'
import { finishWidget, firstSignal, issueWidgetFor } from './linking.ts'
import { refuseRefresh, timeOutRefresh } from './refresh.ts'
import { settle } from './settlement.ts'
import { reportAccount } from './sync.ts'
import { playTrouble } from './trouble.ts'
import { completeVerificationReport } from './verification-report.ts'

type Runs = {
  readonly [Kind in Exclude<Job, Delivering>['kind']]: (
    engine: Engine,
    job: Extract<Job, { kind: Kind }>,
  ) => void
}

const runs: Runs = {
  issue_widget: (engine, { connection, operation }) => issueWidgetFor(engine, connection, operation),
  first_signal: (engine, { connection }) => firstSignal(engine, connection),
  finish_widget: (engine, { connection }) => finishWidget(engine, connection),
  trouble: (engine, { connection }) => playTrouble(engine, connection),
  daily_refresh: (engine, { connection }) => refreshDaily(engine, connection),
  account_report: (engine, { connection, account, last }) => reportAccount(engine, connection, account, last),
  refuse_refresh: (engine, { operation }) => refuseRefresh(engine, operation),
  refresh_timeout: (engine, { operation }) => timeOutRefresh(engine, operation),
  settle: (engine, { account, transaction_id }) => settle(engine, account, transaction_id),
  extract_statement: (engine, { operation, file }) => extractStatement(engine, operation, file),
  verification_report: (engine, { operation, client }) =>
    completeVerificationReport(engine, operation, client),
}

/** Runs a job to its end. Deliveries are not among them: they leave the emulator and take real time. */
export function runJob(engine: Engine, job: Exclude<Job, Delivering>): void {
  const run = runs[job.kind] as (engine: Engine, job: Job) => void
  run(engine, job)
}
