import { ListCommand, type ListSource } from '../../cli/command/list-command.ts'
import { Client } from '../../contract/clients.ts'
import { clientFields } from '../../output/resources.ts'

export default class ClientsList extends ListCommand<typeof ClientsList, Client> {
  static override summary = 'List Clients'
  static override examples = [
    '<%= config.bin %> clients list',
    '<%= config.bin %> clients list --output csv > clients.csv',
  ]

  protected override readonly fields = clientFields
  protected override readonly known = Object.keys(Client.shape)

  protected override source(): ListSource<Client> {
    return {
      page: (paging) => this.api.clients.list(paging, { signal: this.signal }),
      none: 'There are no Clients yet. Create one: bankapi clients create --name …',
    }
  }
}
