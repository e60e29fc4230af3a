import { Flags } from '@oclif/core'
import type { Columns } from '../../cli/command/base-command.ts'
import { type BulkDocument, bulkFlags, isBulk, manyFlags } from '../../cli/command/bulk.ts'
import { BulkRun } from '../../cli/command/bulk-run.ts'
import { clientsFlag, connectionArgs, DEFAULT_TIMEOUT_MS, waitFlags } from '../../cli/command/flags.ts'
import { LeftFile } from '../../cli/command/left-file.ts'
import { OperationCommand } from '../../cli/command/operation-command.ts'
import { describeFailure } from '../../cli/errors/report.ts'
import type { Operation } from '../../contract/operations.ts'
import type { OperationAccepted } from '../../contract/shapes.ts'
import type { Field } from '../../output/fields.ts'
import type { View } from '../../output/view.ts'
import {
  type BulkRefresh,
  type Refreshed,
  refreshInBulk,
  whyNotRefresh,
} from '../../workflows/bulk-refresh.ts'
import { refreshConnection } from '../../workflows/operations.ts'
import { type Chosen, chooseConnections } from './_choose.ts'

type Outcome = BulkRefresh['refreshed'][number]['outcome'] | 'skipped'

interface RefreshRow {
  readonly connection_id: string
  readonly client_id: string | null
  readonly client_external_id: string | null
  readonly institution_name: string | null
  readonly outcome: Outcome
  readonly operation_id: string | null
  readonly code: string | null
  readonly message: string | null
}

const rowKeys: readonly (keyof RefreshRow)[] = [
  'connection_id',
  'client_id',
  'client_external_id',
  'institution_name',
  'outcome',
  'operation_id',
  'code',
  'message',
]

const rowFields: readonly Field<RefreshRow>[] = [
  { key: 'connection_id', header: 'connection', kind: 'id', priority: 9 },
  { key: 'client_id', header: 'client', kind: 'id', priority: 3 },
  { key: 'outcome', kind: 'status', priority: 8 },
  { key: 'code', priority: 7 },
  { key: 'message', priority: 2 },
  { key: 'operation_id', header: 'operation', kind: 'id', priority: 1 },
]

type Result = OperationAccepted | Operation | BulkDocument<RefreshRow>

export default class ConnectionsRefresh extends OperationCommand<typeof ConnectionsRefresh, Result> {
  static override summary = 'Ask the source for fresh data'
  static override description =
    'Each refresh uses one of the daily refresh budget and is never sent twice. The outcome comes with --wait, with ' +
    'bankapi operations wait, or as account.refresh.completed and account.refresh.failed webhooks.\n' +
    'To refresh many, name several ids, or use --stdin, --all-clients or --client. With --all-clients or --client, ' +
    'Connections that a refresh cannot help are skipped (their user has to act, access ended, or a desktop app has to be ' +
    'open), unless --where chooses. A 429 leaves its Connection for later, and three in a row end the run. A refresh whose ' +
    'answer was lost is "unknown", and is not repeated. --left keeps the ids of those that are left in a file, which is right ' +
    'at any moment, also after kill -9.\n' +
    'The result then has a row for each Connection, as it has for a single id with --left, --keep-going, --concurrency or ' +
    '--where. Exit code 9 when one failed or is unknown; otherwise 8 when some are left (11 when the service could not be ' +
    'reached), 10 when some still run.'
  static override examples = [
    '<%= config.bin %> connections refresh con_FDE_123 --wait',
    '<%= config.bin %> connections refresh con_FDE_123 --wait --json | jq .status',
    '<%= config.bin %> connections refresh --all-clients --wait --keep-going --left left.txt',
    '<%= config.bin %> connections refresh --stdin --wait --left left.txt < left.txt',
    '<%= config.bin %> connections refresh --all-clients --where \'.source == "AGGREGATOR_A" and .status == "active"\'',
  ]
  static override args = { id: connectionArgs() }
  static override flags = {
    ...waitFlags,
    'all-clients': Flags.boolean({
      summary: 'Every Connection of every Client that a refresh can help',
      exclusive: ['client'],
    }),
    client: clientsFlag({ summary: 'Those of this Client; may be given more than once' }),
    ...bulkFlags,
  }

  #bulk: BulkRun | undefined

  protected override async execute(): Promise<Result> {
    const { wait, timeout, stdin, 'all-clients': allClients, client: clients } = this.flags
    const timeoutMs = wait ? (timeout ?? DEFAULT_TIMEOUT_MS) : undefined
    const [id, ...more] = this.args.id ?? []
    const many = more.length > 0 || stdin || allClients || clients !== undefined || this.isGiven(...manyFlags)
    if (id !== undefined && !many) {
      return refreshConnection(this.waiting, {
        connectionId: id,
        timeoutMs,
        onAccepted: (accepted) => this.started(accepted, 'account.refresh', id),
      })
    }
    return this.#refreshMany(timeoutMs)
  }

  async #refreshMany(timeoutMs: number | undefined): Promise<BulkDocument<RefreshRow>> {
    const { stdin, where, concurrency, client: clients, left: path } = this.flags
    const left = path === undefined ? undefined : new LeftFile(path)
    const across = this.flags['all-clients'] || clients !== undefined
    const chosen = await chooseConnections(
      { ids: this.args.id ?? [], stdin, allClients: this.flags['all-clients'], clients, where, concurrency },
      { session: this.session, terminal: this.terminal, signal: this.signal },
    )
    const skipped = new Map<string, string>()
    if (across && where === undefined) {
      for (const { id, connection } of chosen) {
        const why = connection && whyNotRefresh(connection)
        if (why !== undefined) skipped.set(id, why)
      }
    }
    const bulk = new BulkRun(
      {
        progress: this.progress,
        signal: this.signal,
        note: (sentence) => this.note(sentence),
        warning: this.warning,
        leaveWith: (name) => this.leaveWith(name),
      },
      left,
    )
    this.#bulk = bulk
    const { refreshed, ...end } = await refreshInBulk(
      { ...this.context, onProgress: bulk.onProgress },
      chosen.map(({ id }) => id).filter((id) => !skipped.has(id)),
      {
        concurrency,
        keepGoing: this.flags['keep-going'],
        timeoutMs,
        left,
        onAccepted: (connectionId, accepted) => void this.#note(connectionId, accepted),
        onOperation: (operation) => void this.journal.seen(operation),
      },
    )
    const outcomes = new Map(refreshed.map((one) => [one.connectionId, one]))
    const rows = chosen.map((one) => this.#row(one, outcomes.get(one.id), skipped.get(one.id)))
    return bulk.end(rows, {
      ...end,
      skipped: [...skipped.values()],
      aboutUnknown:
        'They may have been refreshed: see last_refreshed_at of their accounts. They are not sent again.',
      again: this.#again(path),
    })
  }

  /** The same for what is left. */
  #again(left: string | undefined): string {
    const { wait, 'keep-going': keepGoing } = this.flags
    return this.command(
      ...['connections', 'refresh', '--stdin'],
      ...(wait ? ['--wait'] : []),
      ...(keepGoing ? ['--keep-going'] : []),
      ...(left === undefined ? [] : ['--left', left]),
    )
  }

  #row(
    { id, client, connection }: Chosen,
    refreshed: Refreshed | undefined,
    skipped: string | undefined,
  ): RefreshRow {
    const { outcome = 'skipped', operationId, error } = refreshed ?? {}
    const report =
      error === undefined ? undefined : describeFailure(error, { ...this.failureContext, args: { id } })
    return {
      connection_id: id,
      client_id: client?.id ?? connection?.client_id ?? null,
      client_external_id: client?.external_id ?? null,
      institution_name: connection?.institution?.name ?? null,
      outcome,
      operation_id: operationId ?? null,
      code: report?.code ?? null,
      message: report?.message ?? skipped ?? null,
    }
  }

  async #note(connectionId: string, accepted: OperationAccepted): Promise<void> {
    await this.journal.started({
      id: accepted.operation_id,
      type: 'account.refresh',
      subject: connectionId,
      estimatedSeconds: accepted.estimated_seconds,
    })
  }

  protected override async columns(): Promise<Columns> {
    return this.#bulk === undefined
      ? super.columns()
      : { fields: rowFields as readonly Field<never>[], known: rowKeys }
  }

  protected override view(result: Result, out: View): string {
    return isBulk(result) ? out.table<RefreshRow>(result.data, rowFields, rowKeys) : super.view(result, out)
  }

  protected override render(result: Result): Promise<void> {
    return super.render(result).then(() => this.#bulk?.tellEnd())
  }
}
