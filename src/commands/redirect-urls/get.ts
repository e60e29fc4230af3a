import { ApiCommand } from '../../cli/command/api-command.ts'
import type { RedirectAllowlist } from '../../contract/redirect-urls.ts'
import { allowlistText } from '../../output/resources.ts'
import type { View } from '../../output/view.ts'

export default class RedirectUrlsGet extends ApiCommand<typeof RedirectUrlsGet, RedirectAllowlist> {
  static override summary = 'Show the redirect allowlist'
  static override examples = ['<%= config.bin %> redirect-urls get']

  protected override async execute(): Promise<RedirectAllowlist> {
    return this.api.redirectUrls.get({}, { signal: this.signal })
  }

  protected override view(allowlist: RedirectAllowlist, out: View): string {
    return allowlistText(allowlist, out)
  }
}
