import { Flags } from '@oclif/core'
import { ApiCommand } from '../../cli/command/api-command.ts'
import { clientFlag, redirectUrlFlag } from '../../cli/command/flags.ts'
import { openInBrowser } from '../../cli/terminal/open-in-browser.ts'
import type { ConnectSession } from '../../contract/connect-sessions.ts'

export default class ConnectSessionsCreate extends ApiCommand<typeof ConnectSessionsCreate, ConnectSession> {
  static override summary = 'Make a hosted link where a Client searches for and connects their own bank'
  static override description =
    'The sid is also the credential of the link: keep it server-side. Repeating the command with the same ' +
    '--idempotency-key within 24 hours returns the same link; a key is made for each command otherwise, so that it can be ' +
    'retried safely.'
  static override examples = [
    '<%= config.bin %> connect-sessions create --client cli_demo',
    '<%= config.bin %> connect-sessions create --client cli_demo --idempotency-key order-7 --jq .url',
  ]
  static override flags = {
    client: clientFlag,
    'redirect-url': redirectUrlFlag(),
    'idempotency-key': Flags.string({ summary: 'Repeat safely under this key (at most 255 characters)' }),
    open: Flags.boolean({ summary: 'Open the link in the browser' }),
  }

  protected override async execute(): Promise<ConnectSession> {
    const { 'redirect-url': redirect_url, 'idempotency-key': idempotencyKey, open } = this.flags
    const session = await this.api.connectSessions.create(
      { client_id: this.clientId, redirect_url },
      {
        signal: this.signal,
        idempotencyKey,
        onReply: ({ status, headers }) => {
          if (status < 400 && headers['idempotent-replayed'] === 'true')
            this.note('This key was used before: the same link again.')
        },
      },
    )
    if (open) openInBrowser(session.url, this.machine, this.warning)
    return session
  }
}
