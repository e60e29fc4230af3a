import { Args } from '@oclif/core'
import { parseDuration } from '../../cli/command/duration.ts'
import { EmulatorCommand } from './_emulator-control.ts'

interface Advanced {
  readonly clock: string
  readonly jobs_run: number
}

export default class EmulatorAdvance extends EmulatorCommand<typeof EmulatorAdvance, Advanced> {
  static override summary = "Move the emulator's clock, and run what falls due on the way"
  static override description =
    'Daily refreshes, retries of deliveries, expiries, settlements: in the order in which they are due, each at its time.'
  static override examples = [
    '<%= config.bin %> emulator advance 24h',
    '<%= config.bin %> emulator advance 90s',
  ]
  static override args = {
    duration: Args.string({
      description: 'How far, such as 90s, 5m, 24h or 7d',
      required: true,
      ignoreStdin: true,
    }),
  }

  protected override async execute(): Promise<Advanced> {
    const ms = parseDuration(this.args.duration)
    return (await this.control.post('/advance', { ms })) as Advanced
  }

  protected override view({ clock, jobs_run }: Advanced): string {
    return `It is ${clock} at the emulator now; ${jobs_run} ${jobs_run === 1 ? 'job' : 'jobs'} ran.`
  }
}
