import { Args } from '@oclif/core'
import { ApiCommand } from '../../cli/command/api-command.ts'
import { environmentWords, isIdKind, kinds } from '../_completion/known.ts'

export default class CompletionValues extends ApiCommand<typeof CompletionValues, void> {
  static override hidden = true
  static override summary =
    'Print what the completion scripts do not hold: profiles, and ids seen on this machine'
  static override description =
    'One per line, from files, without a request. The scripts of bankapi completion call it; what goes wrong is no failure ' +
    'while somebody types.'
  static override examples = ['<%= config.bin %> completion values cli --env sandbox']
  static override args = {
    kinds: Args.string({
      description: kinds.join(', '),
      multiple: true,
      required: true,
      ignoreStdin: true,
    }),
  }

  /** Opens no session: an environment that does not exist must not keep those that do from being offered. */
  protected override async prepare(): Promise<void> {}

  protected override async execute(): Promise<void> {
    const asked: readonly string[] = this.args.kinds
    const ids = asked.filter(isIdKind)
    try {
      const words = await environmentWords(this.machine, asked)
      const known = ids.length === 0 ? undefined : (await this.openSession()).knownIds.read()
      // Those that were read last come first.
      const latest = ids.flatMap((kind) => known?.[kind].toReversed() ?? [])
      await this.print([...words, ...latest].join('\n'))
    } catch {
      // Nothing to offer.
    }
  }
}
