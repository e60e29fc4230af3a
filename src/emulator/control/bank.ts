/** The bank of one account as an object for programs: each method makes one change, at once. */
import type { Environment } from '../store/customers.ts'
import type { BankChange } from './bank-changes.ts'
import type { BankOrder } from './bank-order.ts'

type OrderOf<Change extends BankOrder['change']> = Extract<BankOrder, { change: Change }>
/** What a method takes beside the account and the transaction. */
type Options<Change extends BankOrder['change']> = Omit<
  OrderOf<Change>,
  'change' | 'account' | 'environment' | 'transaction' | 'connection' | 'to' | 'count' | 'days'
>

export interface Bank {
  /** A new row; returns its id. `id`: one that another account has. */
  record(row: Options<'record'>): string
  /** A pending charge, by default the oldest, settles under its id, which is returned. */
  settle(transaction?: string, as?: Options<'settle'>): string
  /** A pending charge, by default the oldest, is dropped and reissued; returns the id of the settled one. */
  reissue(transaction?: string, as?: Options<'reissue'>): string
  /** A pending charge, by default the oldest, is dropped for good. Returns its id. */
  drop(transaction?: string, how?: Options<'drop'>): string
  edit(transaction: string, as: Options<'edit'>): void
  /** The source takes a row back: 404. */
  retract(transaction: string, how?: Options<'retract'>): void
  /** A row is listed no more, and still reads by its id. */
  unlist(transaction: string, how?: Options<'unlist'>): void
  /** A row that was taken back or not listed is there again. */
  restore(transaction: string, how?: Options<'restore'>): void
  /** A row belongs to another account of the Client from now on. */
  move(transaction: string, to: string, how?: Options<'move'>): void
  /** Records the longest recorded rows again, as they are; returns how many there were. */
  rerecord(count: number, how?: Options<'rerecord'>): number
  /** So many older days are reported; 31 by default. */
  backfill(days?: number, how?: Options<'backfill'>): void
  /** The account goes away. */
  close(): void
  /** It comes back as it was. */
  reopen(): void
}

export type RelinkOptions = Omit<OrderOf<'relink'>, 'change' | 'connection'>

type Apply = (order: BankOrder) => BankChange

export function bankOf(apply: Apply, account: string, environment: Environment | undefined): Bank {
  const at = environment === undefined ? { account } : { account, environment }
  const one = (transaction: string | undefined) => (transaction === undefined ? at : { ...at, transaction })
  return {
    record: (row) => rowId(apply({ ...row, change: 'record', ...at })),
    settle: (transaction, as) => rowId(apply({ ...as, change: 'settle', ...one(transaction) })),
    reissue: (transaction, as) => rowId(apply({ ...as, change: 'reissue', ...one(transaction) })),
    drop: (transaction, how) => rowId(apply({ ...how, change: 'drop', ...one(transaction) })),
    edit: (transaction, as) => void apply({ ...as, change: 'edit', ...at, transaction }),
    retract: (transaction, how) => void apply({ ...how, change: 'retract', ...at, transaction }),
    unlist: (transaction, how) => void apply({ ...how, change: 'unlist', ...at, transaction }),
    restore: (transaction, how) => void apply({ ...how, change: 'restore', ...at, transaction }),
    move: (transaction, to, how) => void apply({ ...how, change: 'move', ...at, transaction, to }),
    rerecord: (count, how) => apply({ ...how, change: 'rerecord', ...at, count }).count ?? 0,
    backfill: (days, how) =>
      void apply({ ...how, change: 'backfill', ...at, ...(days === undefined ? {} : { days }) }),
    close: () => void apply({ change: 'close', ...at }),
    reopen: () => void apply({ change: 'reopen', ...at }),
  }
}

export function relinked(apply: Apply, connection: string, how: RelinkOptions = {}): string {
  return apply({ ...how, change: 'relink', connection }).connection_id ?? ''
}

function rowId({ transaction_id }: BankChange): string {
  return transaction_id ?? ''
}
