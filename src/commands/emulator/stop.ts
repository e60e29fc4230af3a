import { BaseCommand } from '../../cli/command/base-command.ts'
import { stopEmulator } from './_running-emulator.ts'

interface Stopped {
  readonly pid: number
  readonly stopped: true
}

export default class EmulatorStop extends BaseCommand<typeof EmulatorStop, Stopped> {
  static override summary = 'Stop the emulator running on this machine'
  static override description =
    'For scripts: a background job of a shell may not hear Ctrl-C. Deliveries under way are given up as on Ctrl-C; what is ' +
    'not delivered is kept, unless --memory. Exit code 11 when none is running.'
  static override examples = ['<%= config.bin %> emulator stop']

  protected override async execute(): Promise<Stopped> {
    return { pid: await stopEmulator(this.machine, this.signal), stopped: true }
  }

  protected override view({ pid }: Stopped): string {
    return `Stopped the emulator of process ${pid}.`
  }
}
