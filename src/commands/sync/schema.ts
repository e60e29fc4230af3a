import { Flags } from '@oclif/core'
import type { View } from '../../output/view.ts'
import type { SchemaEntry } from '../../sync/mirror/schema.ts'
import { MirrorCommand, mirrorFlags } from './_mirror-command.ts'

interface Schema {
  readonly data: readonly SchemaEntry[]
  /** With `--sql`: the statements that make them. */
  readonly sql?: string
}

export default class SyncSchema extends MirrorCommand<typeof SyncSchema, Schema> {
  static override summary = 'Show the tables and views of the mirror, with what each column means'
  static override description =
    'The views come first: ledger has what counts. A mirror need not exist. With --sql, the statements that make the tables ' +
    'and views in the store of --to: SQLite or Postgres.'
  static override examples = [
    '<%= config.bin %> sync schema',
    '<%= config.bin %> sync schema --jq \'.data[] | select(.name == "ledger") | .columns[].name\'',
    '<%= config.bin %> sync schema --sql --to postgres://sync@localhost/bank',
  ]
  static override flags = {
    ...mirrorFlags,
    sql: Flags.boolean({ summary: 'Print the CREATE statements' }),
  }

  protected override async execute(): Promise<Schema> {
    const [{ describeSchema, schemaSql }, { destinationOf }] = await Promise.all([
      import('../../sync/mirror/schema.ts'),
      import('../../sync/mirror/destination.ts'),
    ])
    const data = describeSchema()
    return this.flags.sql ? { data, sql: schemaSql(destinationOf(this.destination).kind) } : { data }
  }

  protected override view({ data, sql }: Schema, out: View): string {
    if (sql !== undefined) return sql
    return data
      .map(({ name, kind, means, columns }) =>
        [
          `${out.bold(name)} (${kind}): ${means}`,
          out.table(columns, [{ key: 'name' }, { key: 'type' }, { key: 'means' }]),
        ].join('\n'),
      )
      .join('\n\n')
  }
}
