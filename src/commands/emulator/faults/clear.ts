import { EmulatorCommand } from '../_emulator-control.ts'

interface Cleared {
  readonly cleared: number
}

export default class EmulatorFaultsClear extends EmulatorCommand<typeof EmulatorFaultsClear, Cleared> {
  static override summary = 'Clear every fault'
  static override examples = ['<%= config.bin %> emulator faults clear']

  protected override async execute(): Promise<Cleared> {
    return (await this.control.delete('/faults')) as Cleared
  }

  protected override view({ cleared }: Cleared): string {
    return `${cleared} ${cleared === 1 ? 'fault' : 'faults'} cleared.`
  }
}
