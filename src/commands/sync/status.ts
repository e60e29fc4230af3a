import { Flags } from '@oclif/core'
import { duration } from '../../cli/command/flags.ts'
import type { View } from '../../output/view.ts'
import type { SyncStatus } from '../../sync/status.ts'
import { MirrorCommand, mirrorFlags } from './_mirror-command.ts'

export default class SyncStatusCommand extends MirrorCommand<typeof SyncStatusCommand, SyncStatus> {
  static override summary = 'Show how fresh the mirror is, and what fails'
  static override description =
    'Per kind and per Client: rows, since when everything of it is complete, and what could not be read. It asks the mirror ' +
    'alone, not the service. Exit 9 when something fails and, with --max-age, when something is older or was never read to ' +
    'its end; statements and checks, which are read once a day, may be a day older.'
  static override examples = [
    '<%= config.bin %> sync status',
    '<%= config.bin %> sync status --max-age 24h --json || echo "the mirror is not fresh"',
  ]
  static override flags = {
    ...mirrorFlags,
    'max-age': duration({ summary: 'Exit 9 when something is older than this, or was never complete' }),
    limit: Flags.integer({ summary: 'Clients at most, the worst first', min: 1, default: 100 }),
  }

  protected override async execute(): Promise<SyncStatus> {
    const mirror = await this.openMirror({ readOnly: true })
    const { mirrorStatus } = await import('../../sync/status.ts')
    const { 'max-age': maxAgeMs, limit } = this.flags
    return mirrorStatus(mirror, { now: this.machine.now(), maxAgeMs, limit })
  }

  protected override async render(status: SyncStatus): Promise<void> {
    await super.render(status)
    const { state, max_age_seconds: maxAge } = status
    if (state === 'failing' || (maxAge !== null && state !== 'fresh')) this.leaveWith('operationFailed')
  }

  protected override view(
    { mirror, state, kinds, clients, failing, dead_letters: letters }: SyncStatus,
    out: View,
  ): string {
    // By what it is behind: the clock of an emulator may be ahead of this machine's.
    const since = (behind: number | null) =>
      behind === null ? 'never' : out.ago(new Date(this.machine.now() - behind * 1000).toISOString())
    const troubles = [...failing, ...clients.flatMap((client) => client.failing)]
    const parts = [
      `${out.text(mirror)}: ${out.status(state)}`,
      out.table(
        kinds.map((kind) => ({ ...kind, complete_since: since(kind.behind_seconds) })),
        [
          { key: 'kind' },
          { key: 'rows', align: 'right' },
          { key: 'streams', align: 'right' },
          { key: 'complete_since' },
          { key: 'failing', align: 'right' },
          { key: 'state' },
        ],
      ),
      out.table(
        clients.map((client) => ({
          ...client,
          complete_since: since(client.behind_seconds),
          failing: client.failing.length,
        })),
        [
          { key: 'client_id' },
          { key: 'external_id' },
          { key: 'rows', align: 'right' },
          { key: 'complete_since' },
          { key: 'failing', align: 'right' },
          { key: 'state' },
        ],
      ),
      ...troubles.map(({ kind, subject, code, message }) =>
        out.text(`${kind}${subject === '' ? '' : ` of ${subject}`}: ${message} (${code})`),
      ),
      ...letters.map(({ client_id, code, message, retries }) =>
        out.text(
          `job of ${client_id ?? 'the list of Clients'}: given up after ${retries + 1} times: ${message} (${code})`,
        ),
      ),
    ]
    return parts.filter((part) => part !== '').join('\n')
  }
}
