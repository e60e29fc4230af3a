import { Args, Flags } from '@oclif/core'
import { yesFlag } from '../../cli/command/flags.ts'
import { assertRedirectUrl } from '../../cli/command/redirect-url.ts'
import type { RedirectAllowlist } from '../../contract/redirect-urls.ts'
import { AllowlistCommand } from './_allowlist-command.ts'

export default class RedirectUrlsAdd extends AllowlistCommand<typeof RedirectUrlsAdd> {
  static override summary = 'Add URLs to the redirect allowlist'
  static override description =
    'The service only replaces the whole set: the current one is read first, and the result shown. Where it cannot be read ' +
    'nothing is sent.'
  static override examples = [
    '<%= config.bin %> redirect-urls add https://app.example.com/done',
    '<%= config.bin %> redirect-urls add https://app.example.com/done --from-empty',
  ]
  static override args = {
    urls: Args.string({ description: 'https URLs', multiple: true, required: true, ignoreStdin: true }),
  }
  static override flags = {
    'from-empty': Flags.boolean({ summary: 'Take the current allowlist for empty and do not read it' }),
    yes: yesFlag,
  }

  protected override async execute(): Promise<RedirectAllowlist> {
    const { urls } = this.args
    urls.forEach(assertRedirectUrl)
    const before = this.flags['from-empty']
      ? []
      : await this.current('\nIf you know that there is none yet: --from-empty')
    return this.replace(before, [...new Set([...before, ...urls])])
  }
}
