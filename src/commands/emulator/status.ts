import type { View } from '../../output/view.ts'
import { EmulatorCommand } from './_emulator-control.ts'

export default class EmulatorStatus extends EmulatorCommand<typeof EmulatorStatus, object> {
  static override summary = 'Show the emulator running on this machine: addresses, clock, what is due'
  static override description = 'Exit code 11 when none is running.'
  static override examples = [
    '<%= config.bin %> emulator status',
    '<%= config.bin %> emulator status --jq .clock',
  ]

  protected override async execute(): Promise<object> {
    return (await this.control.get('/status')) as object
  }

  protected override view(status: object, out: View): string {
    return out.record(status)
  }
}
