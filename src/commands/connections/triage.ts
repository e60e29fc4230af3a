import { Flags } from '@oclif/core'
import { goneSentence } from '../../cli/command/across-command.ts'
import type { Columns } from '../../cli/command/base-command.ts'
import { parallelFlags } from '../../cli/command/bulk.ts'
import { clientsFlag, duration } from '../../cli/command/flags.ts'
import { connectionStatuses } from '../../contract/connections.ts'
import { systemClock } from '../../machine/machine.ts'
import type { Field } from '../../output/fields.ts'
import type { View } from '../../output/view.ts'
import { clientConnections } from '../../workflows/client-connections.ts'
import { Limiter } from '../../workflows/limiter.ts'
import {
  type ClientConnections,
  STALE_AFTER_MS,
  type Triage,
  type TriageRow,
  triage,
} from '../../workflows/triage.ts'
import { MirrorCommand } from '../sync/_mirror-command.ts'

const fields: readonly Field<TriageRow>[] = [
  { key: 'connection_id', header: 'connection', kind: 'id', priority: 9 },
  { key: 'status', kind: 'status', priority: 8 },
  { key: 'since', kind: 'time', priority: 4 },
  { key: 'reason', priority: 6 },
  { key: 'who_can_act', header: 'who can act', priority: 5 },
  { key: 'stale_accounts', header: 'stale', priority: 1, get: ({ stale_accounts: stale }) => stale.length },
  { key: 'client_external_id', header: 'client', priority: 2 },
  { key: 'institution_name', header: 'institution', priority: 1 },
  { key: 'next' },
]

const known: readonly (keyof TriageRow)[] = [
  'connection_id',
  'client_id',
  'client_external_id',
  'institution_name',
  'source',
  'status',
  'since',
  'code',
  'reason',
  'who_can_act',
  'stale_accounts',
  'next',
]

export default class ConnectionsTriage extends MirrorCommand<typeof ConnectionsTriage, Triage> {
  static override summary = 'List the Connections that need somebody, why, and the next command'
  static override description =
    'Every Connection of every Client that does not work, or whose accounts have had no fresh data for two days: since when, why, ' +
    'who can act (the user, the bank, the service, or us), and the command to run next. The worst first. A disconnected one ' +
    'whose bank was linked again since is left out. --from-mirror reads the database of `bankapi sync` and makes no request. ' +
    'With --exit-status the exit code is 9 when there is any, or when not everything could be seen.'
  static override examples = [
    '<%= config.bin %> connections triage',
    '<%= config.bin %> connections triage --client cli_demo --json',
    '<%= config.bin %> connections triage -o csv --columns client_external_id,institution_name,reason,next > today.csv',
    '<%= config.bin %> connections triage --jq \'.data[] | select(.who_can_act == "user") | .connection_id\'',
    '<%= config.bin %> connections triage --from-mirror --exit-status || echo "somebody is needed"',
  ]
  static override flags = {
    client: clientsFlag({
      summary: 'Only those of this Client; may be given more than once (default: every Client)',
    }),
    status: Flags.option({
      summary: 'Only those with this status; may be given more than once',
      options: connectionStatuses,
      multiple: true,
      multipleNonGreedy: true,
    })(),
    'stale-after': duration({
      summary: 'An account is stale when its last fresh data is older',
      default: STALE_AFTER_MS,
      defaultHelp: async () => '48h',
    }),
    'from-mirror': Flags.boolean({
      summary: 'Read the mirror of `bankapi sync` (BANKAPI_SYNC_TO, sync.to) instead of the service',
    }),
    'exit-status': Flags.boolean({
      summary: 'Exit 9 when a Connection needs somebody, or not all could be seen',
    }),
    ...parallelFlags,
  }

  #failed = 0
  /** What could not be seen although it is nobody's failure, so that nobody knows whether it needs somebody. */
  #unseen = 0

  protected override async execute(): Promise<Triage> {
    const { 'stale-after': staleAfterMs, status } = this.flags
    const source = this.flags['from-mirror'] ? await this.#fromMirror() : this.#fromService()
    const found = await triage(source, { staleAfterMs, command: (...words) => this.command(...words) })
    if (status === undefined) return found
    return { ...found, data: found.data.filter((row) => status.includes(row.status as never)) }
  }

  #fromService(): AsyncIterable<ClientConnections> {
    const { client: clients, concurrency, 'keep-going': keepGoing } = this.flags
    return clientConnections(this.api, {
      clients,
      limiter: new Limiter({ clock: systemClock, concurrency }),
      clock: systemClock,
      signal: this.signal,
      keepGoing,
      onNoAccounts: () => {
        this.#unseen += 1
        this.warning('the key may not read accounts (read:accounts): stale ones are not known')
      },
      onGone: (subject) => {
        this.#unseen += 1
        this.note(goneSentence(subject))
      },
      onFailure: ({ client }, error) => {
        this.#failed += 1
        this.warning(`${client.id} could not be read: ${error.sentence} (${error.code})`)
      },
    })
  }

  async #fromMirror(): Promise<AsyncIterable<ClientConnections>> {
    const mirror = await this.openMirror({ readOnly: true })
    const { mirrorAge, mirroredConnections } = await import('../../sync/client-connections.ts')
    const { complete_since: since, unfinished } = await mirrorAge(mirror, this.session.environment.value)
    if (since === null || unfinished > 0) this.#unseen += 1
    this.note(
      `From the mirror ${mirror.shown}: ${since === null ? 'no Client was read to its end yet' : `as it was at ${since}`}` +
        (unfinished > 0 && since !== null ? `; ${unfinished} Clients were not read to their end yet` : ''),
    )
    return mirroredConnections(mirror, this.flags.client)
  }

  protected override async columns(): Promise<Columns> {
    return { fields: fields as readonly Field<never>[], known }
  }

  protected override view({ data }: Triage, out: View): string {
    const onTerminal = out.tty && this.chosenColumns === undefined && data.length > 0
    if (!onTerminal) return out.table(data, fields, known)
    const table = out.table(
      data,
      fields.filter(({ key }) => key !== 'reason' && key !== 'next'),
      known,
    )
    const steps = data.map(
      ({ connection_id, reason, next }) =>
        `${out.bold(connection_id)}: ${out.text(reason)}\n    ${out.text(next)}`,
    )
    return `${table}\nWhy, and what to run next:\n${steps.join('\n')}`
  }

  protected override async render(found: Triage): Promise<void> {
    await super.render(found)
    const { data, checked, linked_again } = found
    const again = linked_again.length
    this.note(
      `${data.length} of ${checked} Connections need${data.length === 1 ? 's' : ''} somebody.` +
        (again > 0
          ? ` ${again} disconnected ${again === 1 ? 'one was' : 'ones were'} linked again since, and left out.`
          : ''),
    )
    const isQuiet = data.length === 0 && this.#unseen === 0
    if (this.#failed > 0 || (this.flags['exit-status'] && !isQuiet)) this.leaveWith('operationFailed')
  }
}
