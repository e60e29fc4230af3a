/** Runs a job of the schedule: one rule for each kind. */
import { type Engine, forOneJob } from './engine.ts'
import { changeAfterLinking, finishWidget, firstSignal, issueWidgetFor } from './linking.ts'
import { completeVerificationReport, extractStatement } from './operations.ts'
import { refreshDaily, refuseRefresh, timeOutOwnRefresh, timeOutRefresh } from './refresh.ts'
import type { DeliveryJob, Job } from './schedule.ts'
import { appear, dropCharge, settle } from './settlement.ts'
import { reportAccount } from './sync.ts'

type Runs = {
  readonly [Kind in Exclude<Job, DeliveryJob>['kind']]: (
    engine: Engine,
    job: Extract<Job, { kind: Kind }>,
  ) => void
}

const runs: Runs = {
  issue_widget: (engine, { connection, operation }) => issueWidgetFor(engine, connection, operation),
  first_signal: (engine, { connection }) => firstSignal(engine, connection),
  finish_widget: (engine, { connection }) => finishWidget(engine, connection),
  after_linking: (engine, { connection }) => changeAfterLinking(engine, connection),
  daily_refresh: (engine, { connection }) => refreshDaily(engine, connection),
  account_report: reportAccount,
  own_refresh_timeout: (engine, { connection, since }) => timeOutOwnRefresh(engine, connection, since),
  refuse_refresh: (engine, { operation }) => refuseRefresh(engine, operation),
  refresh_timeout: (engine, { operation }) => timeOutRefresh(engine, operation),
  settle: (engine, { account, transaction_id }) => settle(engine, account, transaction_id),
  drop_charge: (engine, { account, transaction_id, quiet }) =>
    dropCharge(engine, account, transaction_id, quiet),
  reissue: (engine, { account, settled, quiet }) => appear(engine, account, settled, quiet),
  extract_statement: (engine, { operation, file }) => extractStatement(engine, operation, file),
  verification_report: (engine, { operation, client }) =>
    completeVerificationReport(engine, operation, client),
}

/** Runs a job to its end. Deliveries are not among them: they leave the emulator and take real time. */
export function runJob(engine: Engine, job: Exclude<Job, DeliveryJob>): void {
  const run = runs[job.kind] as (engine: Engine, job: Job) => void
  run(forOneJob(engine), job)
}
