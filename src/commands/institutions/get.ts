import { ApiCommand } from '../../cli/command/api-command.ts'
import { idArg } from '../../cli/command/flags.ts'
import type { Institution } from '../../contract/institutions.ts'

export default class InstitutionsGet extends ApiCommand<typeof InstitutionsGet, Institution> {
  static override summary = 'Show an institution'
  static override examples = ['<%= config.bin %> institutions get ins_a_ok']
  static override args = { id: idArg({ summary: 'Institution, ins_<id>', prefix: 'ins_' }) }

  protected override async execute(): Promise<Institution> {
    return this.api.institutions.get({ institution_id: this.args.id }, { signal: this.signal })
  }
}
