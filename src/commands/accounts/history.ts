import { Flags } from '@oclif/core'
import type { Columns } from '../../cli/command/base-command.ts'
import { clientFlag, dateFlag, idArg } from '../../cli/command/flags.ts'
import { PageWalk } from '../../cli/command/list-walk.ts'
import { UsageError } from '../../cli/errors/errors.ts'
import type { Account } from '../../contract/accounts.ts'
import { BankapiError } from '../../errors.ts'
import type { Field } from '../../output/fields.ts'
import type { View } from '../../output/view.ts'
import {
  addDays,
  type BalanceBasis,
  type BalanceDay,
  type BalanceHistory,
  balanceHistory,
  basisSentence,
  isSumOfTransactions,
  type SeenBalances,
  SettledDays,
} from '../../workflows/balance-history.ts'
import { MirrorCommand } from '../sync/_mirror-command.ts'

type Row = BalanceHistory['data'][number]

const fields: readonly Field<Row>[] = [
  { key: 'date', kind: 'date', priority: 9 },
  { key: 'current_balance', header: 'balance', kind: 'money', priority: 9 },
  { key: 'basis', header: 'from', priority: 1 },
]

/** Days before the last one. */
const DEFAULT_DAYS = 365

export default class AccountsHistory extends MirrorCommand<typeof AccountsHistory, BalanceHistory> {
  static override summary = "Draw an account's balance over time"
  static override description =
    "The balance at the end of each day, signed from the holder's view. The API keeps no history: settled transactions lead back " +
    'from the balance of today, and the days on which the mirror of `bankapi sync` watched are as it saw them last. The answer ' +
    'says which. The balance of an investment or a loan is no sum of transactions: it is from the mirror only, since its first ' +
    'run. --basis transactions agrees with statements to the day: a mirror sees a balance when sync runs.\n' +
    'On a terminal it is a chart; in a pipe, and with --columns, a row per day; --json has the data.'
  static override examples = [
    '<%= config.bin %> accounts history acc_FDE_12301 --client cli_demo',
    '<%= config.bin %> accounts history acc_FDE_12301 --from 30d',
    '<%= config.bin %> accounts history acc_FDE_12301 --jq \'.data[] | select(.date == "2026-10-31") | .current_balance\'',
    '<%= config.bin %> accounts history acc_FDE_12301 --basis mirror -o csv > balance.csv',
  ]
  static override args = { id: idArg({ summary: 'Account, acc_<SOURCE>_<id>', prefix: 'acc_' }) }
  static override flags = {
    client: clientFlag,
    from: dateFlag({
      summary: 'First day: 90d (so long ago) or 2026-01-31 (default: a year before the last one)',
    }),
    basis: Flags.option({
      summary:
        'Only back from the balance of today, or only what the mirror saw, without a request (BANKAPI_SYNC_TO, sync.to)',
      options: ['transactions', 'mirror'] as const satisfies readonly BalanceBasis[],
    })(),
  }

  /** `--to` is not the mirror here: it is chosen by BANKAPI_SYNC_TO and the setting. */
  protected override get namedMirror(): undefined {
    return undefined
  }

  protected override async execute(): Promise<BalanceHistory> {
    const { id } = this.args
    const { basis } = this.flags
    if (basis === 'mirror') {
      const seen = await this.#mirrored(true)
      if (seen !== undefined) return this.#watched(seen.account, seen)
      throw this.#none(`The mirror has no balance of ${id}`)
    }
    const client_id = this.clientId
    const account = await this.api.accounts.get({ account_id: id, client_id }, { signal: this.signal })
    const why = whyNoSum(account)
    if (why !== undefined && basis === 'transactions') {
      throw new UsageError(`${id} has no history from transactions: ${why}`, { hint: 'Leave out --basis' })
    }
    const seen = basis === 'transactions' ? undefined : await this.#mirrored(why !== undefined)
    if (why === undefined) return this.#back(account, client_id, seen)
    if (seen === undefined) throw this.#none(`${id} has no history: ${why}, and the mirror has none of it`)
    return { ...this.#watched(account, seen), reason: why }
  }

  /** Back from the balance of today, but for the days on which the mirror watched. */
  async #back(account: Account, client_id: string, seen: SeenBalances | undefined): Promise<BalanceHistory> {
    const balance = account.current_balance ?? 0
    const read = account.last_refreshed_at?.slice(0, 10)
    const newest = read ?? new Date(this.now()).toISOString().slice(0, 10)
    const from = this.flags.from ?? addDays(newest, -DEFAULT_DAYS)
    const settled = new SettledDays()
    const walk = new PageWalk((paging) =>
      this.api.transactions.list(
        { account_id: account.id, client_id, from, ...paging },
        { signal: this.signal },
      ),
    )
    for await (const rows of walk.batches()) settled.add(rows)
    const last =
      [read, settled.last, seen?.days.at(-1)?.date]
        .filter((date) => date !== undefined)
        .toSorted()
        .at(-1) ?? newest
    const [since = last] = [account.oldest_transaction_date, settled.first]
      .filter((date) => typeof date === 'string')
      .toSorted()
    const data = balanceHistory({ from, last, back: { balance, settled, since }, seen })
    return this.#document(account, data, settled.count)
  }

  /** From the mirror alone. */
  #watched(account: MirroredAccount, seen: SeenBalances): BalanceHistory {
    const last = seen.through
    const from = this.flags.from ?? addDays(last, -DEFAULT_DAYS)
    return this.#document(account, balanceHistory({ from, last, seen }), 0)
  }

  #document(account: MirroredAccount, days: readonly BalanceDay[], transactions: number): BalanceHistory {
    const { id, type, iso_currency_code } = account
    if (days.length === 0) throw this.#none(`${id} has no balance since ${this.flags.from ?? 'then'}`)
    const bases = new Set(days.map(({ basis }) => basis))
    return {
      account_id: id,
      account_name: account.name ?? null,
      mask: account.mask ?? null,
      type,
      iso_currency_code,
      basis: bases.size > 1 ? 'both' : (days[0]?.basis ?? 'transactions'),
      transactions,
      reason: null,
      data: days.map(({ date, current_balance, basis }) => ({
        date,
        current_balance,
        iso_currency_code,
        basis,
      })),
    }
  }

  /** Undefined where there is no mirror, or no balance in it. It has to be readable only for what it alone knows. */
  async #mirrored(needed: boolean) {
    const { mirroredBalances } = await import('../../sync/mirrored-balances.ts')
    try {
      return await mirroredBalances(await this.openMirror({ readOnly: true }), this.args.id)
    } catch (error) {
      if (!(error instanceof BankapiError) || (needed && error.code !== 'no_mirror')) throw error
      if (error.code !== 'no_mirror') this.warning(`the mirror is left out: ${error.sentence}`)
      return undefined
    }
  }

  #none(sentence: string): BankapiError {
    return new BankapiError(sentence, {
      code: 'no_history',
      exit: 'notFound',
      hint: `A mirror notes each new balance from its first run on: ${this.command('sync')}`,
    })
  }

  protected override async columns(): Promise<Columns> {
    return {
      fields: fields as readonly Field<never>[],
      known: ['date', 'current_balance', 'iso_currency_code', 'basis'],
    }
  }

  protected override view({ data }: BalanceHistory, out: View): string {
    return out.table(data, fields, ['iso_currency_code'])
  }

  protected override async rendered(history: BalanceHistory): Promise<string> {
    const out = await this.createView()
    if (this.format === undefined && out.tty && !out.hasColumns) {
      const { balanceChart } = await import('../../cli/charts/charts.ts')
      return balanceChart(history, this.terminal.stdout.rows ?? 24, out)
    }
    // The other formats have it.
    if (this.format === undefined) this.note(basisSentence(history))
    return super.rendered(history)
  }
}

type MirroredAccount = Pick<Account, 'id' | 'type' | 'iso_currency_code'> & {
  readonly name?: string | null | undefined
  readonly mask?: string | null | undefined
}

/** Why transactions do not lead back to earlier balances. */
function whyNoSum({ type, current_balance }: Account): string | undefined {
  if (!isSumOfTransactions(type))
    return `the balance of ${type === 'loan' ? 'a loan' : 'an investment'} is no sum of transactions`
  return typeof current_balance === 'number' ? undefined : 'the service has no balance of today'
}
