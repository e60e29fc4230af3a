import { Args, Flags } from '@oclif/core'
import { UsageError } from '../../../cli/errors/errors.ts'
import type { View } from '../../../output/view.ts'
import { EmulatorCommand } from '../_emulator-control.ts'

export default class EmulatorFaultsAdd extends EmulatorCommand<typeof EmulatorFaultsAdd, object> {
  static override summary = 'Order a fault for requests or deliveries that fit a pattern'
  static override description =
    'A pattern is a method and a path below /v3, or DELIVERY and an event type; * stands for one segment, ** for any. ' +
    'Without --times it strikes until faults are cleared.'
  static override examples = [
    "<%= config.bin %> emulator faults add 'POST /connections/*/refresh' --status 503 --times 2",
    "<%= config.bin %> emulator faults add 'GET /**' --delay 2000",
    "<%= config.bin %> emulator faults add 'DELIVERY connection.*' --drop --times 1",
  ]
  static override args = {
    pattern: Args.string({
      description: "'METHOD /path' or 'DELIVERY type'",
      required: true,
      ignoreStdin: true,
    }),
  }
  static override flags = {
    status: Flags.integer({ summary: 'Answer with this status instead', min: 200, max: 599 }),
    delay: Flags.integer({ summary: 'Wait so long first', helpValue: 'MS', min: 0, max: 600_000 }),
    drop: Flags.boolean({ summary: 'Close the connection without an answer' }),
    truncate: Flags.boolean({ summary: 'Send half of the body' }),
    times: Flags.integer({ summary: 'How often it strikes', min: 1 }),
  }

  protected override async execute(): Promise<object> {
    const { status, delay, drop, truncate, times } = this.flags
    if (status === undefined && delay === undefined && !drop && !truncate) {
      throw new UsageError('What should go wrong?', { hint: 'Give --status, --delay, --drop or --truncate' })
    }
    const order = {
      pattern: this.args.pattern,
      status,
      delay_ms: delay,
      times,
      ...(drop ? { drop } : {}),
      ...(truncate ? { truncate } : {}),
    }
    return (await this.control.post('/faults', order)) as object
  }

  protected override view(fault: object, out: View): string {
    return out.record(fault)
  }
}
