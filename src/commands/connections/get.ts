import { ApiCommand } from '../../cli/command/api-command.ts'
import { connectionArg } from '../../cli/command/flags.ts'
import type { Connection } from '../../contract/connections.ts'
import { connectionText } from '../../output/resources.ts'
import type { View } from '../../output/view.ts'
import { judge } from '../../workflows/triage.ts'

export default class ConnectionsGet extends ApiCommand<typeof ConnectionsGet, Connection> {
  static override summary = 'Show a Connection'
  static override description =
    'For one that does not work also the reason, who can act, and the command to run next, as `connections triage` shows for all.'
  static override examples = ['<%= config.bin %> connections get con_FDE_123']
  static override args = { id: connectionArg() }

  protected override async execute(): Promise<Connection> {
    return this.api.connections.get({ connection_id: this.args.id }, { signal: this.signal })
  }

  protected override view(connection: Connection, out: View): string {
    const text = connectionText(connection, out)
    if (this.chosenColumns !== undefined) return text
    const judgement = judge(connection, { command: (...words) => this.command(...words) })
    if (judgement === undefined) return text
    const { reason, who_can_act } = judgement
    // Of one that waits for somebody else it is this very command.
    const isThis = judgement.next === this.command('connections', 'get', this.args.id)
    const next = isThis ? 'wait, and look again' : judgement.next
    return `${text}${out.tty ? '\n' : ''}${out.record({ reason, who_can_act, next })}`
  }
}
