import { ApiCommand } from '../../cli/command/api-command.ts'
import type { Contract } from '../../contract/contract.ts'
import type { Output } from '../../contract/endpoint.ts'
import { institutionFields } from '../../output/resources.ts'
import type { View } from '../../output/view.ts'

type Institutions = Output<Contract['sandbox']['institutions']>

export default class InstitutionsSandbox extends ApiCommand<typeof InstitutionsSandbox, Institutions> {
  static override summary = 'List the institutions to test with (sandbox only)'
  static override examples = ['<%= config.bin %> institutions sandbox']

  protected override async execute(): Promise<Institutions> {
    return this.api.sandbox.institutions({}, { signal: this.signal })
  }

  protected override view({ data }: Institutions, out: View): string {
    return out.table(data, institutionFields)
  }
}
