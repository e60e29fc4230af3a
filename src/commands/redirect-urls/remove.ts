import { Args } from '@oclif/core'
import { yesFlag } from '../../cli/command/flags.ts'
import { UsageError } from '../../cli/errors/errors.ts'
import type { RedirectAllowlist } from '../../contract/redirect-urls.ts'
import { AllowlistCommand } from './_allowlist-command.ts'

export default class RedirectUrlsRemove extends AllowlistCommand<typeof RedirectUrlsRemove> {
  static override summary = 'Take URLs off the redirect allowlist'
  static override description =
    'The service only replaces the whole set: the current one is read first, and the result shown. Where it cannot be read ' +
    'nothing is sent.'
  static override examples = ['<%= config.bin %> redirect-urls remove https://app.example.com/done --yes']
  static override args = {
    urls: Args.string({
      description: 'URLs as they stand in the list',
      multiple: true,
      required: true,
      ignoreStdin: true,
    }),
  }
  static override flags = { yes: yesFlag }

  protected override async execute(): Promise<RedirectAllowlist> {
    const before = await this.current()
    const unknown = this.args.urls.filter((url) => !before.includes(url))
    if (unknown.length > 0) {
      throw new UsageError(`Not on the allowlist: ${unknown.join(', ')}`, {
        code: 'not_on_allowlist',
        hint: 'See it: bankapi redirect-urls get',
      })
    }
    return this.replace(
      before,
      before.filter((url) => !this.args.urls.includes(url)),
    )
  }
}
