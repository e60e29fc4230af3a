/** The base class of commands that show metrics of a time window. */
import type { Command } from '@oclif/core'
import { ApiCommand } from '../../cli/command/api-command.ts'
import type { FlagsOf } from '../../cli/command/base-command.ts'
import { type serviceFlags, timeFlag } from '../../cli/command/flags.ts'

export const metricsFlags = {
  from: timeFlag({ summary: 'Start of the window, inclusive (default: 30 days before now)' }),
  to: timeFlag({ summary: 'End of the window, exclusive (default: now)' }),
}

export abstract class MetricsCommand<T extends typeof Command, Result> extends ApiCommand<T, Result> {
  declare protected flags: FlagsOf<T, typeof serviceFlags & typeof metricsFlags>

  protected get window(): { from: string | undefined; to: string | undefined } {
    const { from, to } = this.flags
    return { from, to }
  }
}
