/** What this machine started, kept in the inbox, so that `operations list` and the TUI can show it later. */
import { join } from 'node:path'
import { dataDir } from '../config/paths.ts'
import type { Operation } from '../contract/operations.ts'
import type { Session } from './session.ts'

export interface StartedOperation {
  readonly id: string
  readonly type: string
  /** What it is about: a Connection or Client id. */
  readonly subject: string
  /** Seconds, from the 202 answer. */
  readonly estimatedSeconds?: number | undefined
}

export interface Journal {
  started(operation: StartedOperation): Promise<void>
  seen(operation: Operation): Promise<void>
  close(): Promise<void>
}
