/** What `sync lineage confirm` and `reject` share. */
import type { Command } from '@oclif/core'
import { idArg } from '../../../cli/command/flags.ts'
import type { View } from '../../../output/view.ts'
import type { Lineage } from '../../../sync/lineage-decisions.ts'
import { MirrorCommand } from '../_mirror-command.ts'

export const lineageFields = (
  ['old_account_id', 'new_account_id', 'match', 'matching_rows', 'decision', 'since', 'applied'] as const
).map((key) => ({ key }))

export const pairArgs = {
  old: idArg({ summary: 'The Account before the re-link, acc_<SOURCE>_<id>', prefix: 'acc_' }),
  new: idArg({ summary: 'The Account that continues it, acc_<SOURCE>_<id>', prefix: 'acc_' }),
}

export abstract class LineageDecision<T extends typeof Command> extends MirrorCommand<T, Lineage> {
  protected abstract readonly decision: 'confirmed' | 'rejected'

  protected override async execute(): Promise<Lineage> {
    const mirror = await this.openMirror({ mustExist: true })
    const { decideLineage } = await import('../../../sync/lineage-decisions.ts')
    const { old: older, new: newer } = this.args as { readonly old: string; readonly new: string }
    return decideLineage(mirror, { older, newer, decision: this.decision })
  }

  protected override view(pair: Lineage, out: View): string {
    return out.record(pair)
  }
}
