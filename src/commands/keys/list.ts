import { ListCommand, type ListSource } from '../../cli/command/list-command.ts'
import { ApiKey } from '../../contract/keys.ts'
import { apiKeyFields } from '../../output/resources.ts'

export default class KeysList extends ListCommand<typeof KeysList, ApiKey> {
  static override summary = 'List API keys'
  static override examples = ['<%= config.bin %> keys list']

  protected override readonly fields = apiKeyFields
  protected override readonly known = Object.keys(ApiKey.shape)

  protected override source(): ListSource<ApiKey> {
    return {
      page: (paging) => this.api.keys.list(paging, { signal: this.signal }),
      none: 'There are no API keys.',
    }
  }
}
