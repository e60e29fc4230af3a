import type { Field } from '../../../output/fields.ts'
import type { View } from '../../../output/view.ts'
import { ProfileCommand, type ShownProfile } from './_profile-command.ts'

interface Profiles {
  readonly data: readonly ShownProfile[]
}

/** All of them, whichever have a value: in a pipe a column keeps its place. */
const fields: readonly Field<ShownProfile>[] = [
  { key: 'name', priority: 9 },
  { key: 'mode', priority: 8 },
  { key: 'base_url', header: 'base url', priority: 7 },
  { key: 'client_id', header: 'client', kind: 'id', priority: 5 },
  { key: 'default', kind: 'boolean', priority: 6 },
]

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
    return out.table(data, fields)
  }
}
