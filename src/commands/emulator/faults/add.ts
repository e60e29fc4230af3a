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
    "<%= config.bin %> emulator faults add 'GET /accounts/*/transactions' --refuse-cursor --after 2 --times 1",
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
    'refuse-cursor': Flags.boolean({ summary: 'Refuse the cursor of requests that have one' }),
    'retry-after': Flags.integer({
      summary: 'With --status 409, 429 or 5xx: how long to wait',
      helpValue: 'SECONDS',
      min: 0,
      max: 86_400,
      dependsOn: ['status'],
    }),
    after: Flags.integer({ summary: 'How many requests that fit pass first', min: 0 }),
    times: Flags.integer({ summary: 'How often it strikes', min: 1 }),
  }

  protected override async execute(): Promise<object> {
    const { status, delay, drop, truncate, after, times } = this.flags
    const refuse_cursor = this.flags['refuse-cursor']
    if (status === undefined && delay === undefined && !drop && !truncate && !refuse_cursor) {
      throw new UsageError('What should go wrong?', {
        hint: 'Give --status, --delay, --drop, --truncate or --refuse-cursor',
      })
    }
    const order = {
      pattern: this.args.pattern,
      status,
      delay_ms: delay,
      retry_after: this.flags['retry-after'],
      after,
      times,
      ...(drop ? { drop } : {}),
      ...(truncate ? { truncate } : {}),
      ...(refuse_cursor ? { refuse_cursor } : {}),
    }
    return (await this.control.post('/faults', order)) as object
  }

  protected override view(fault: object, out: View): string {
    return out.record(fault)
  }
}
