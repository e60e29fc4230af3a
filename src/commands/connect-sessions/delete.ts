import { Args } from '@oclif/core'
import { ApiCommand } from '../../cli/command/api-command.ts'
import { clientFlag, yesFlag } from '../../cli/command/flags.ts'

interface Deleted {
  readonly deleted: true
}

export default class ConnectSessionsDelete extends ApiCommand<typeof ConnectSessionsDelete, Deleted> {
  static override summary = 'Kill a pick-and-connect link'
  static override examples = ['<%= config.bin %> connect-sessions delete SID --client cli_demo --yes']
  static override args = {
    sid: Args.string({ description: 'The sid of the link', required: true, ignoreStdin: true }),
  }
  static override flags = { client: clientFlag, yes: yesFlag }

  protected override async execute(): Promise<Deleted> {
    const client_id = this.clientId
    await this.confirm(`Kill this link of ${client_id}? Whoever has it open can no longer use it.`)
    await this.api.connectSessions.delete({ client_id, sid: this.args.sid }, { signal: this.signal })
    return { deleted: true }
  }

  protected override view(): string {
    return 'The link no longer works.'
  }
}
