import { mirrorFlags } from '../_mirror-command.ts'
import { LineageDecision, pairArgs } from './_lineage.ts'

export default class SyncLineageConfirm extends LineageDecision<typeof SyncLineageConfirm> {
  static override summary =
    'Confirm that an account continues another: the ledger takes the old one before it'
  static override description =
    'The pair is one of bankapi sync lineage list. It can be rejected later; the next query sees the difference.'
  static override examples = ['<%= config.bin %> sync lineage confirm acc_FDE_1 acc_FDE_2']
  static override args = pairArgs
  static override flags = mirrorFlags

  protected override readonly decision = 'confirmed'
}
