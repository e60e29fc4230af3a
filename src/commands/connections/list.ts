import { clientFlag } from '../../cli/command/flags.ts'
import { ListCommand, type ListSource } from '../../cli/command/list-command.ts'
import { Connection } from '../../contract/connections.ts'
import { connectionFields } from '../../output/resources.ts'

export default class ConnectionsList extends ListCommand<typeof ConnectionsList, Connection> {
  static override summary = "List a Client's Connections"
  static override description =
    'Only Connections that reached `active` once are listed, with their canonical ids. A link whose widget the user ' +
    'has not finished yet is not among them.'
  static override examples = [
    '<%= config.bin %> connections list --client cli_demo',
    '<%= config.bin %> connections list --client cli_demo --jq \'.data[] | select(.status != "active") | .id\'',
  ]
  static override flags = { client: clientFlag }

  protected override readonly fields = connectionFields
  protected override readonly known = Object.keys(Connection.shape)

  protected override source(): ListSource<Connection> {
    const client_id = this.clientId
    return {
      page: (paging) => this.api.connections.list({ client_id, ...paging }, { signal: this.signal }),
      none: `${client_id} has no Connection yet. Start one: bankapi connections initiate --client ${client_id} --institution ins_…`,
    }
  }
}
