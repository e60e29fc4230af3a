import { Args } from '@oclif/core'
import { ListCommand, type ListSource } from '../../cli/command/list-command.ts'
import { Institution } from '../../contract/institutions.ts'
import { institutionFields } from '../../output/resources.ts'

export default class InstitutionsSearch extends ListCommand<typeof InstitutionsSearch, Institution> {
  static override summary = 'Search the institution catalog by name'
  static override examples = [
    '<%= config.bin %> institutions search first',
    "<%= config.bin %> institutions search first --jq '.data[].id'",
  ]
  static override args = {
    query: Args.string({ description: 'Part of the name; everything without it', ignoreStdin: true }),
  }

  protected override readonly fields = institutionFields
  protected override readonly known = Object.keys(Institution.shape)

  protected override source(): ListSource<Institution> {
    const { query } = this.args
    return {
      page: (paging) => this.api.institutions.search({ q: query, ...paging }, { signal: this.signal }),
      none: query === undefined ? 'The catalog is empty.' : `No institution's name contains "${query}".`,
    }
  }
}
