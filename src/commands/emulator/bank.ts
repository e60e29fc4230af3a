import { Args, Flags } from '@oclif/core'
import { dateFlag, duration } from '../../cli/command/flags.ts'
import { UsageError } from '../../cli/errors/errors.ts'
import type { View } from '../../output/view.ts'
import { EmulatorCommand } from './_emulator-control.ts'

/** Each change, and what it takes beside the id. */
const changes = {
  record:
    'a new transaction: --amount, --date, --description, --merchant, --category, --pending; --id gives one of another account again',
  settle:
    'a pending charge settles under its id: --transaction, or the oldest; --amount and so on say what it settles as',
  reissue:
    'a pending charge is dropped, and a settled one appears under a new id: --as tip or fuel, --overlap, --gap, and as for settle',
  drop: 'a pending charge is dropped for good: --transaction, or the oldest',
  edit: 'a transaction says something else: --transaction, and as for settle',
  retract: 'a transaction is taken back, and reads as 404: --transaction',
  unlist: 'a transaction is in no list, and still reads by its id: --transaction',
  restore: 'one that was taken back is there again: --transaction',
  move: 'a transaction belongs to another account from now on: --transaction, --to',
  rerecord: 'the longest recorded transactions are recorded again as they are: --count',
  backfill: 'older transactions are reported: --days',
  close: 'the account goes away',
  reopen: 'it comes back as it was',
  relink: 'the user links the same bank again, for a Connection: --days of history, --keep-old',
} as const

export default class EmulatorBank extends EmulatorCommand<typeof EmulatorBank, object> {
  static override summary = 'Make a bank change what it reports of an account'
  static override description = [
    ...Object.entries(changes).map(([change, meaning]) => `${change}: ${meaning}.`),
    'A changed transaction is recorded again, at the front of the list, and moves updated_at of its account: not with ' +
      '--keeps-place, not with --quiet.',
  ].join('\n')
  static override examples = [
    '<%= config.bin %> emulator bank reissue acc_AGGREGATOR_A_100101 --as tip --gap 24h',
    '<%= config.bin %> emulator bank edit acc_FDE_12301 --transaction txn_FDE_9f02a7d1 --amount -12.50 --quiet --keeps-place',
    '<%= config.bin %> emulator bank rerecord acc_FDE_12301 --count 1000',
    '<%= config.bin %> emulator bank relink con_AGGREGATOR_A_1001 --days 90',
  ]
  static override args = {
    change: Args.string({
      description: 'What happens',
      options: Object.keys(changes),
      required: true,
      ignoreStdin: true,
    }),
    id: Args.string({
      description: 'Account, acc_…; for relink the Connection, con_…',
      required: true,
      ignoreStdin: true,
    }),
  }
  static override flags = {
    transaction: Flags.string({ summary: 'Transaction it happens to', helpValue: 'txn_…' }),
    amount: Flags.string({ summary: 'Amount; money out is negative', helpValue: '-12.50' }),
    date: dateFlag({ summary: 'Date of the transaction' }),
    description: Flags.string({ summary: 'Text of the transaction' }),
    merchant: Flags.string({ summary: 'Its merchant_name' }),
    category: Flags.string({ summary: 'Category of the transaction, such as groceries' }),
    pending: Flags.boolean({ summary: 'record: it is pending' }),
    id: Flags.string({ summary: 'record: under this id', helpValue: 'txn_…' }),
    as: Flags.option({
      summary: 'reissue: at the same amount, with a tip (100 to 130 %), or fuel at any amount',
      options: ['same', 'tip', 'fuel'] as const,
    })(),
    overlap: duration({ summary: 'reissue: both are there for so long' }),
    gap: duration({ summary: 'reissue: neither is there for so long' }),
    to: Flags.string({ summary: 'move: the account', helpValue: 'acc_…' }),
    count: Flags.integer({ summary: 'rerecord: how many (default 1)', min: 1 }),
    days: Flags.integer({
      summary: 'backfill: how many older days (default 31); relink: how many days back its history begins',
      min: 0,
    }),
    quiet: Flags.boolean({ summary: "The account's updated_at and balance stay" }),
    'keeps-place': Flags.boolean({ summary: 'settle, edit, restore: not recorded again' }),
    'keep-old': Flags.boolean({ summary: 'relink: the old Connection keeps its status' }),
    on: Flags.option({ summary: 'On which base', options: ['sandbox', 'live'] as const })(),
  }

  protected override async execute(): Promise<object> {
    const { change, id } = this.args
    const { flags } = this
    const order = {
      change,
      ...(change === 'relink' ? { connection: id } : { account: id }),
      environment: flags.on,
      transaction: flags.transaction,
      amount: flags.amount === undefined ? undefined : amountOf(flags.amount),
      date: flags.date,
      description: flags.description,
      merchant_name: flags.merchant,
      category: flags.category,
      id: flags.id,
      as: flags.as,
      overlap_ms: flags.overlap,
      gap_ms: flags.gap,
      to: flags.to,
      count: flags.count,
      days: flags.days,
      // Left out where they are not given: a change refuses what it does not take.
      pending: flags.pending || undefined,
      quiet: flags.quiet || undefined,
      keeps_place: flags['keeps-place'] || undefined,
      keep_old: flags['keep-old'] || undefined,
    }
    return (await this.control.post('/bank', order)) as object
  }

  protected override view(changed: object, out: View): string {
    return out.record(changed)
  }
}

function amountOf(text: string): number {
  const amount = Number(text)
  if (text.trim() !== '' && Number.isFinite(amount)) return amount
  throw new UsageError(`"${text}" is not an amount`, { hint: 'Write it like -12.50' })
}
