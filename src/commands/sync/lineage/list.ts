import type { View } from '../../../output/view.ts'
import type { Lineage } from '../../../sync/lineage-decisions.ts'
import { MirrorCommand, mirrorFlags } from '../_mirror-command.ts'
import { lineageFields } from './_lineage.ts'

interface Pairs {
  readonly data: readonly Lineage[]
}

export default class SyncLineageList extends MirrorCommand<typeof SyncLineageList, Pairs> {
  static override summary = 'List accounts that continue another after a re-link'
  static override description =
    'A pair is inferred from type, currency and mask, and exact when the settled rows are equal one to one. The ledger takes ' +
    'the old account before `since` and the successor from then on, once the pair is exact or confirmed; others count twice ' +
    'until somebody decides. Those that wait for a decision come first.'
  static override examples = ['<%= config.bin %> sync lineage list']
  static override flags = mirrorFlags

  protected override async execute(): Promise<Pairs> {
    const mirror = await this.openMirror({ readOnly: true })
    const { listLineage } = await import('../../../sync/lineage-decisions.ts')
    return { data: await listLineage(mirror) }
  }

  protected override view({ data }: Pairs, out: View): string {
    return out.table(data, lineageFields)
  }
}
