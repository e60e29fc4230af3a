import { mirrorFlags } from '../_mirror-command.ts'
import { LineageDecision, pairArgs } from './_lineage.ts'

export default class SyncLineageReject extends LineageDecision<typeof SyncLineageReject> {
  static override summary = 'Reject that an account continues another: both count in the ledger'
  static override description =
    'The pair is one of bankapi sync lineage list. It holds also where the two are equal row by row, until it is confirmed.'
  static override examples = ['<%= config.bin %> sync lineage reject acc_FDE_1 acc_FDE_2']
  static override args = pairArgs
  static override flags = mirrorFlags

  protected override readonly decision = 'rejected'
}
