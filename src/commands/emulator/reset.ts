import { yesFlag } from '../../cli/command/flags.ts'
import { forgetKnownLinks } from '../connections/_known-links.ts'
import { EmulatorCommand } from './_emulator-control.ts'

export default class EmulatorReset extends EmulatorCommand<typeof EmulatorReset, object> {
  static override summary = 'Put everything back as at the first start, with the same seed'
  static override description =
    'Clients, Connections, subscriptions, faults and the clock; the keys stay the same. What this machine noted about links ' +
    'that were made in local is forgotten.'
  static override examples = ['<%= config.bin %> emulator reset --yes']
  static override flags = { yes: yesFlag }

  protected override async execute(): Promise<object> {
    const { control } = this
    await this.confirm(`Forget everything in the emulator at ${control.url}?`)
    const answer = (await control.post('/reset')) as object
    forgetKnownLinks(this.machine, 'local')
    return answer
  }

  protected override view(): string {
    return 'Everything is as at the first start.'
  }
}
