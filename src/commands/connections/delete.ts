import { ApiCommand } from '../../cli/command/api-command.ts'
import { connectionArg, yesFlag } from '../../cli/command/flags.ts'

interface Deleted {
  readonly id: string
  readonly deleted: true
}

export default class ConnectionsDelete extends ApiCommand<typeof ConnectionsDelete, Deleted> {
  static override summary = 'Delete a Connection'
  static override description =
    'The Connection becomes `disconnected`, with a connection.disconnected event. Its user has to link the bank again.'
  static override examples = ['<%= config.bin %> connections delete con_FDE_123 --yes']
  static override args = { id: connectionArg() }
  static override flags = { yes: yesFlag }

  protected override async execute(): Promise<Deleted> {
    const { id } = this.args
    await this.confirm(
      `Delete ${id} in ${this.session.environment.value}? The user would have to link again.`,
    )
    await this.api.connections.delete({ connection_id: id }, { signal: this.signal })
    return { id, deleted: true }
  }

  protected override view({ id }: Deleted): string {
    return `Deleted ${id}`
  }
}
