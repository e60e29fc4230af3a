import { yesFlag } from '../../cli/command/flags.ts'
import { EmulatorCommand } from './_emulator-control.ts'

export default class EmulatorReset extends EmulatorCommand<typeof EmulatorReset, object> {
  static override summary = 'Put everything back as at the first start, with the same seed'
  static override description =
    'Clients, Connections, subscriptions, faults and the clock; the keys stay the same.'
  static override examples = ['<%= config.bin %> emulator reset --yes']
  static override flags = { yes: yesFlag }

  protected override async execute(): Promise<object> {
    const { control } = this
    await this.confirm(`Forget everything in the emulator at ${control.url}?`)
    return (await control.post('/reset')) as object
  }

  protected override view(): string {
    return 'Everything is as at the first start.'
  }
}
