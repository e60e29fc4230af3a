import { Args } from '@oclif/core'
import { RowsInMemory } from '../../cli/command/rows-in-memory.ts'
import type { View } from '../../output/view.ts'
import { MirrorCommand, mirrorFlags } from './_mirror-command.ts'

interface Rows {
  readonly data: readonly Record<string, unknown>[]
}

export default class SyncQuery extends MirrorCommand<typeof SyncQuery, Rows> {
  static override summary = 'Run SQL on the mirror'
  static override description =
    'One SELECT, which can only read, of at most output.max_rows rows (100000): more are read by sqlite3 or psql, or with a ' +
    'larger setting. The tables and views: bankapi sync schema. Money is exact: amount is a decimal, amount_minor an integer of 10^-amount_exponent.'
  static override examples = [
    "<%= config.bin %> sync query 'select * from ledger order by date desc limit 20'",
    "<%= config.bin %> sync query 'select client_external_id, month, net_minor from cashflow_monthly' -o csv",
    "<%= config.bin %> sync query 'select count(*) as n from pending' --jq '.data[0].n'",
  ]
  static override args = { sql: Args.string({ description: 'A SELECT', required: true }) }
  static override flags = mirrorFlags

  protected override async execute(): Promise<Rows> {
    const mirror = await this.openMirror({ readOnly: true })
    const held = new RowsInMemory<Record<string, unknown>>(
      this.preference('output.max_rows'),
      'Ask for less: limit, where, or sums in the query',
    )
    await mirror.query(this.args.sql, this.signal, {
      // The last batch may be empty, and counts as a row in lists of pages.
      onRows: (rows) => {
        if (rows.length > 0) held.add(rows)
      },
    })
    return { data: held.rows }
  }

  protected override view({ data }: Rows, out: View): string {
    const keys = [...new Set(data.flatMap((row) => Object.keys(row)))]
    return out.table(
      data,
      keys.map((key) => ({ key })),
    )
  }
}
