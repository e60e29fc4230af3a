import { Args } from '@oclif/core'
import { yesFlag } from '../../cli/command/flags.ts'
import type { RedirectAllowlist } from '../../contract/redirect-urls.ts'
import { AllowlistCommand } from './_allowlist-command.ts'

export default class RedirectUrlsAdd extends AllowlistCommand<typeof RedirectUrlsAdd> {
  static override summary = 'Add URLs to the redirect allowlist'
  static override description =
    'The service only replaces the whole set: the current one is read first, and the result shown.'
  static override examples = ['<%= config.bin %> redirect-urls add https://app.example.com/done']
  static override args = {
    urls: Args.string({ description: 'https URLs', multiple: true, required: true, ignoreStdin: true }),
  }
  static override flags = { yes: yesFlag }

  protected override async execute(): Promise<RedirectAllowlist> {
    const before = await this.current()
    return this.replace(before, [...new Set([...before, ...this.args.urls])])
  }
}
