import { Args } from '@oclif/core'
import { ApiCommand } from '../../cli/command/api-command.ts'
import { yesFlag } from '../../cli/command/flags.ts'

interface Revoked {
  readonly id: string
  readonly status: 'revoked'
}

export default class KeysRevoke extends ApiCommand<typeof KeysRevoke, Revoked> {
  static override summary = 'Revoke an API key for good'
  static override description =
    'A revoked key can neither be used nor re-scoped again; create a new one instead.'
  static override examples = ['<%= config.bin %> keys revoke 3f0c8a52-6a1e-4c0b-9f53-0d6f7f1b2a11 --yes']
  static override args = {
    id: Args.string({ description: 'API key, a UUID', required: true, ignoreStdin: true }),
  }
  static override flags = { yes: yesFlag }

  protected override async execute(): Promise<Revoked> {
    const { id } = this.args
    await this.confirm(
      `Revoke ${id} in ${this.session.environment.value}? Whatever uses it stops working at once.`,
    )
    await this.api.keys.revoke({ api_key_id: id }, { signal: this.signal })
    return { id, status: 'revoked' }
  }

  protected override view({ id }: Revoked): string {
    return `Revoked ${id}`
  }
}
