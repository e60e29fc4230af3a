import { Flags } from '@oclif/core'
import { ApiCommand } from '../../cli/command/api-command.ts'
import type { Client } from '../../contract/clients.ts'
import { clientFields } from '../../output/resources.ts'
import type { View } from '../../output/view.ts'

export default class ClientsCreate extends ApiCommand<typeof ClientsCreate, Client> {
  static override summary = 'Create a Client (an end-user)'
  static override description =
    'Each call creates a Client: the service replays nothing here, so a repeated call makes a second one. ' +
    'Keep your own id in --external-id to find a Client again.'
  static override examples = [
    "<%= config.bin %> clients create --name 'Ada Lovelace' --email ada@example.com --external-id user-42",
    '<%= config.bin %> clients create --external-id user-42 --json | jq -r .id',
  ]
  static override flags = {
    name: Flags.string({ summary: 'Name of the end-user' }),
    email: Flags.string({ summary: 'E-mail address of the end-user' }),
    'external-id': Flags.string({ summary: 'Your own id of this end-user' }),
  }

  protected override async execute(): Promise<Client> {
    const { name, email, 'external-id': external_id } = this.flags
    return this.api.clients.create({ name, email, external_id }, { signal: this.signal })
  }

  protected override view(client: Client, out: View): string {
    return out.record(client, clientFields)
  }
}
