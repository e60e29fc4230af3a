/** The dependencies of every workflow. None knows a terminal: progress goes to a callback. */
import type { Api } from '../api/api.ts'
import type { Clock } from '../api/options.ts'

export interface WorkflowContext<Progress> {
  readonly api: Api
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly onProgress?: (progress: Progress) => void
}
