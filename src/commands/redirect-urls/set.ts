import { Args } from '@oclif/core'
import { yesFlag } from '../../cli/command/flags.ts'
import { assertRedirectUrl } from '../../cli/command/redirect-url.ts'
import type { RedirectAllowlist } from '../../contract/redirect-urls.ts'
import { AllowlistCommand } from './_allowlist-command.ts'

export default class RedirectUrlsSet extends AllowlistCommand<typeof RedirectUrlsSet> {
  static override summary = 'Replace the whole redirect allowlist'
  static override description =
    'Without a URL the allowlist becomes empty, and every redirect is denied. At most 20 https URLs. The current set is not read.'
  static override examples = [
    '<%= config.bin %> redirect-urls set https://app.example.com/done https://app.example.com/again',
  ]
  static override args = {
    urls: Args.string({ description: 'https URLs', multiple: true, ignoreStdin: true }),
  }
  static override flags = { yes: yesFlag }

  protected override async execute(): Promise<RedirectAllowlist> {
    const { urls = [] } = this.args
    urls.forEach(assertRedirectUrl)
    return this.replace(undefined, [...new Set(urls)])
  }
}
