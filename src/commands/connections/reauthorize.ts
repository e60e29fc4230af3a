import { Flags } from '@oclif/core'
import { ApiCommand } from '../../cli/command/api-command.ts'
import { connectionArg, yesFlag } from '../../cli/command/flags.ts'
import { openInBrowser } from '../../cli/terminal/open-in-browser.ts'
import type { Reauthorization } from '../../contract/connections.ts'
import type { View } from '../../output/view.ts'
import { reauthorize } from '../../workflows/reauthorize.ts'
import { reauthorizeLinks } from './_reauthorize-links.ts'

export default class ConnectionsReauthorize extends ApiCommand<
  typeof ConnectionsReauthorize,
  Reauthorization
> {
  static override summary = 'Make a link for the user to repair a Connection or to share more accounts'
  static override description =
    'The link is a reusable credential, valid about six days: hand it over on a channel fit for secrets. While it is ' +
    'valid this command returns it again instead of a second one, unless --new. Completed sessions can share accounts ' +
    'whose statement history is billed, so a new link is asked about first, and the call is never repeated. ' +
    'The outcome arrives as a connection.active or connection.failed webhook.'
  static override examples = [
    '<%= config.bin %> connections reauthorize con_FDE_123',
    '<%= config.bin %> connections reauthorize con_FDE_123 --new --yes --open',
  ]
  static override args = { id: connectionArg() }
  static override flags = {
    new: Flags.boolean({ summary: 'Make a new link even while an earlier one is valid' }),
    open: Flags.boolean({ summary: 'Open the link in the browser' }),
    yes: yesFlag,
  }

  protected override async execute(): Promise<Reauthorization> {
    const { id } = this.args
    const result = await reauthorize(this.context, reauthorizeLinks(this.session, this.warning), {
      connectionId: id,
      fresh: this.flags.new,
      confirm: () =>
        this.confirm(`Make a link to reauthorize ${id}? Accounts shared through it may be billed.`),
    })
    const { action } = result.reauthorization
    if (result.reused) this.note('This link was made before and is still valid; --new makes another.')
    if (result.movedTo !== undefined) {
      this.warning(
        `this bank is served by ${result.movedTo} now: the link adds a new Connection with new ids, and ${id} stays as it is. ` +
          'After connection.active, list connections and accounts again.',
      )
    }
    if (this.flags.open) openInBrowser(action.reauth_url, this.machine, this.warning)
    return result.reauthorization
  }

  protected override view(reauthorization: Reauthorization, out: View): string {
    return out.record(reauthorization)
  }
}
