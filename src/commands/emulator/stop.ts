import { BaseCommand } from '../../cli/command/base-command.ts'
import { stopEmulator } from './_running-emulator.ts'

interface Stopped {
  readonly pid: number
  /** False inside `emulator exec`, which ends its emulator itself. */
  readonly stopped: boolean
}

export default class EmulatorStop extends BaseCommand<typeof EmulatorStop, Stopped> {
  static override summary = 'Stop the emulator running on this machine'
  static override description =
    'For scripts: a background job of a shell may not hear Ctrl-C. Deliveries under way are given up as on Ctrl-C; what is ' +
    'not delivered is kept, unless --memory. Inside `emulator exec` nothing is stopped: that emulator ends with its command. ' +
    'Exit code 11 when none is running.'
  static override examples = ['<%= config.bin %> emulator stop']

  protected override async execute(): Promise<Stopped> {
    const { pid, ends_with_command: endsWithCommand } = await stopEmulator(this.machine, this.signal)
    return { pid, stopped: endsWithCommand !== true }
  }

  protected override view({ pid, stopped }: Stopped): string {
    return stopped
      ? `Stopped the emulator of process ${pid}.`
      : 'Not stopped: bankapi emulator exec ends this emulator when its command has ended.'
  }
}
