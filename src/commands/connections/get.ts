import { ApiCommand } from '../../cli/command/api-command.ts'
import { connectionArg } from '../../cli/command/flags.ts'
import type { Connection } from '../../contract/connections.ts'
import { connectionText } from '../../output/resources.ts'
import type { View } from '../../output/view.ts'

export default class ConnectionsGet extends ApiCommand<typeof ConnectionsGet, Connection> {
  static override summary = 'Show a Connection'
  static override examples = ['<%= config.bin %> connections get con_FDE_123']
  static override args = { id: connectionArg() }

  protected override async execute(): Promise<Connection> {
    return this.api.connections.get({ connection_id: this.args.id }, { signal: this.signal })
  }

  protected override view(connection: Connection, out: View): string {
    return connectionText(connection, out)
  }
}
