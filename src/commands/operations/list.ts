import { Flags } from '@oclif/core'
import { ApiCommand } from '../../cli/command/api-command.ts'
import { localLimit, localLimitFlag } from '../../cli/command/flags.ts'
import { openInboxOf } from '../../cli/command/inbox.ts'
import { operationStatuses } from '../../contract/operations.ts'
import type { Field } from '../../output/fields.ts'
import type { View } from '../../output/view.ts'

/** An operation as the inbox has it. */
interface Known {
  readonly id: string
  readonly type: string | null
  readonly subject: string | null
  readonly status: string
  readonly started_at: string
  /** When this machine last saw the status, by its own clock; the other times are of the service once it is completed. */
  readonly seen_at: string
  readonly completed_at: string | null
}

interface KnownOperations {
  readonly data: readonly Known[]
  readonly has_more: boolean
}

const fields: readonly Field<Known>[] = [
  { key: 'id', kind: 'id' },
  { key: 'type', priority: 3 },
  { key: 'subject', priority: 4 },
  { key: 'status', kind: 'status', priority: 5 },
  { key: 'started_at', header: 'started', kind: 'time', priority: 2 },
  { key: 'completed_at', header: 'completed', kind: 'time', priority: 1 },
]

export default class OperationsList extends ApiCommand<typeof OperationsList, KnownOperations> {
  static override summary = 'List the operations started or seen on this machine'
  static override description =
    'The API has no list of operations: these are the ones that bankapi on this machine started or was asked about, with ' +
    'the status it last saw, at `seen_at`. Needs no key and sends nothing.'
  static override examples = [
    '<%= config.bin %> operations list',
    '<%= config.bin %> operations list --status queued --jq .data[].id',
  ]
  static override flags = {
    status: Flags.option({ summary: 'Only those in this status', options: operationStatuses })(),
    limit: localLimitFlag,
  }

  protected override async execute(): Promise<KnownOperations> {
    const { status } = this.flags
    const limit = localLimit(this.flags.limit, this.format)
    const inbox = await openInboxOf(this.session)
    try {
      const environment = this.session.environment.value
      const found = await inbox.operations.list({ environment, status, limit: limit + 1 })
      const data = found.slice(0, limit).map((operation) => ({
        id: operation.id,
        type: operation.type ?? null,
        subject: operation.subject ?? null,
        status: operation.status,
        started_at: new Date(operation.startedAt).toISOString(),
        seen_at: new Date(operation.seenAt).toISOString(),
        completed_at:
          operation.completedAt === undefined ? null : new Date(operation.completedAt).toISOString(),
      }))
      if (data.length === 0)
        this.note(
          `No ${status === undefined ? '' : `${status} `}operations of ${environment} are in the inbox.`,
        )
      return { data, has_more: found.length > limit }
    } finally {
      await inbox.close()
    }
  }

  protected override view({ data }: KnownOperations, out: View): string {
    return out.table(data, fields)
  }

  protected override async columns() {
    return { fields: fields as readonly Field<never>[] }
  }
}
