import type { View } from '../../../output/view.ts'
import { ProfileCommand, type ShownProfile } from './_profile-command.ts'

interface Profiles {
  readonly data: readonly ShownProfile[]
}

export default class ConfigProfileList extends ProfileCommand<typeof ConfigProfileList, Profiles> {
  static override summary = 'List the environments of your own'
  static override description =
    'Each with its mode, its address and its Client. local, sandbox and live are always there and are not listed.'
  static override examples = [
    '<%= config.bin %> config profile list',
    "<%= config.bin %> config profile list --jq '.data[].name'",
  ]

  protected override async execute(): Promise<Profiles> {
    const data = this.profiles
    if (data.length === 0)
      this.note('There are none. Add one: bankapi config profile add NAME --mode sandbox')
    return { data }
  }

  protected override view({ data }: Profiles, out: View): string {
    return out.table(data)
  }
}
