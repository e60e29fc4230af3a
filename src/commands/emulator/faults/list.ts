import type { View } from '../../../output/view.ts'
import { EmulatorCommand } from '../_emulator-control.ts'

interface Faults {
  readonly data: readonly object[]
}

export default class EmulatorFaultsList extends EmulatorCommand<typeof EmulatorFaultsList, Faults> {
  static override summary = 'List the faults ordered, and how often each struck'
  static override examples = ['<%= config.bin %> emulator faults list']

  protected override async execute(): Promise<Faults> {
    const faults = (await this.control.get('/faults')) as Faults
    if (faults.data.length === 0) this.note('No faults are ordered.')
    return faults
  }

  protected override view({ data }: Faults, out: View): string {
    return out.table(data)
  }
}
