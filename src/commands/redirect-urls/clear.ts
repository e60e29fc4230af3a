import { ApiCommand } from '../../cli/command/api-command.ts'
import { yesFlag } from '../../cli/command/flags.ts'

interface Cleared {
  readonly cleared: true
}

export default class RedirectUrlsClear extends ApiCommand<typeof RedirectUrlsClear, Cleared> {
  static override summary = 'Remove the redirect allowlist'
  static override description = 'Afterwards every initiate that carries a redirect URL is rejected.'
  static override examples = ['<%= config.bin %> redirect-urls clear --yes']
  static override flags = { yes: yesFlag }

  protected override async execute(): Promise<Cleared> {
    await this.confirm(
      `Remove the redirect allowlist of ${this.session.environment.value}? Initiates with a redirect URL fail then.`,
    )
    await this.api.redirectUrls.clear({}, { signal: this.signal })
    return { cleared: true }
  }

  protected override view(): string {
    return 'The redirect allowlist is gone.'
  }
}
