import { ApiCommand } from '../../cli/command/api-command.ts'
import { idArg, yesFlag } from '../../cli/command/flags.ts'

interface Deleted {
  readonly id: string
  readonly deleted: true
}

export default class WebhooksDelete extends ApiCommand<typeof WebhooksDelete, Deleted> {
  static override summary = 'Remove a webhook subscription, and forget its signing secret here'
  static override examples = ['<%= config.bin %> webhooks delete whk_0a1b --yes']
  static override args = { id: idArg({ summary: 'Subscription, whk_<hex>', prefix: 'whk_' }) }
  static override flags = { yes: yesFlag }

  protected override async execute(): Promise<Deleted> {
    const { id } = this.args
    await this.confirm(`Remove ${id} in ${this.session.environment.value}? Its URL gets no more events.`)
    await this.api.webhooks.delete({ subscription_id: id }, { signal: this.signal })
    await this.session.signingSecrets.forget(id).catch(() => {
      this.warning(`no keychain answers, so a signing secret of ${id} may still be in it`)
    })
    return { id, deleted: true }
  }

  protected override view({ id }: Deleted): string {
    return `Removed ${id}`
  }
}
