import { AcrossCommand, filterFlag, inContext } from '../../cli/command/across-command.ts'
import type { ListSource, RowSource } from '../../cli/command/list-command.ts'
import { Connection, connectionStatuses } from '../../contract/connections.ts'
import { ConnectionSource } from '../../contract/shapes.ts'
import { connectionFields } from '../../output/resources.ts'
import { connectionsAcross } from '../../workflows/across-clients.ts'

export default class ConnectionsList extends AcrossCommand<typeof ConnectionsList, Connection> {
  static override summary = "List Clients' Connections"
  static override description =
    'Only Connections that reached `active` once are listed, with their canonical ids. A link whose widget the user ' +
    'has not finished yet is not among them. Across Clients each row names its Client.'
  static override examples = [
    '<%= config.bin %> connections list --client cli_demo',
    '<%= config.bin %> connections list --all-clients --status failed --status disconnected',
    '<%= config.bin %> connections list --client cli_demo --jq \'.data[] | select(.status != "active") | .id\'',
  ]
  static override flags = {
    status: filterFlag('Only in this status', connectionStatuses),
    source: filterFlag('Only of this source', ConnectionSource.options),
  }

  protected override readonly itemFields = connectionFields
  protected override readonly known = Object.keys(Connection.shape)
  protected override readonly shownContext = ['client_id', 'client_external_id'] as const

  protected override get crosses(): boolean {
    return this.oneClient === undefined || this.flags.connection !== undefined
  }

  protected override source(): ListSource<Connection> | RowSource<Connection> {
    const { ofConnection, accept } = this
    const client_id = this.oneClient
    const none = `No such Connection of ${client_id ?? 'these Clients'}.`
    if (this.crosses || client_id === undefined) return { rows: () => this.#rows(accept), none }
    return {
      page: (paging) => this.api.connections.list({ client_id, ...paging }, { signal: this.signal }),
      ...(ofConnection === undefined && this.#unfiltered
        ? {
            none: `${client_id} has no Connection yet. Start one: bankapi connections initiate --client ${client_id} --institution ins_…`,
          }
        : { accept, none }),
    }
  }

  get #unfiltered(): boolean {
    return this.flags.status === undefined && this.flags.source === undefined
  }

  private get accept(): (connection: Connection) => boolean {
    const { status, source } = this.flags
    const { ofConnection = () => true } = this
    return (connection) =>
      (status?.includes(connection.status) ?? true) &&
      (source?.includes(connection.source) ?? true) &&
      ofConnection(connection)
  }

  async *#rows(accept: (connection: Connection) => boolean): AsyncGenerator<readonly Connection[]> {
    for await (const { client, connection } of connectionsAcross(this.api, this.acrossOptions)) {
      if (accept(connection)) yield [inContext(connection, { client, connection })]
    }
  }
}
