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

/** Runs a job to its end. Deliveries are not among them: they leave the emulator and take real time. */
export function runJob(engine: Engine, job: Exclude<Job, Delivering>): void {
  switch (job.kind) {
    case 'issue_widget':
      return issueWidgetFor(engine, job.connection, job.operation)
    case 'first_signal':
      return firstSignal(engine, job.connection)
    case 'finish_widget':
      finishWidget(engine, job.connection)
      return
    case 'trouble':
      return playTrouble(engine, job.connection)
    case 'daily_refresh':
      return refreshDaily(engine, job.connection)
    case 'account_report':
      return reportAccount(engine, job.connection, job.account, job.last)
    case 'refuse_refresh':
      return refuseRefresh(engine, job.operation)
    case 'refresh_timeout':
      return timeOutRefresh(engine, job.operation)
    case 'settle':
      return settle(engine, job.account, job.transaction_id)
    case 'extract_statement':
      return extractStatement(engine, job.operation, job.file)
    case 'verification_report':
      return completeVerificationReport(engine, job.operation, job.client)
  }
}
