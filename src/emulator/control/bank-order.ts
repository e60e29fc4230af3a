/** Schema of what a bank can be made to do to an account, its transactions, or a Connection. */
import * as z from 'zod'
import { AccountId, TransactionId } from '../../contract/ids.ts'

const text = z.string().min(1).max(500)
const date = z.iso.date()
const amount = z.number().gt(-1e12).lt(1e12)
const milliseconds = z
  .number()
  .int()
  .min(0)
  .max(3650 * 86_400_000)

/** What a row says. */
const says = {
  amount: amount.optional(),
  date: date.optional(),
  description: text.optional(),
  merchant_name: text.optional(),
  category: text.optional(),
}
/** The account's `updated_at` and balance stay. */
const quiet = { quiet: z.boolean().optional() }
/** The row is not recorded again: it stays at its place in the list. */
const manner = { ...quiet, keeps_place: z.boolean().optional() }
const environment = z.enum(['sandbox', 'live']).optional()
const at = { account: AccountId, environment }
const named = { ...at, transaction: TransactionId }
/** Without `transaction`: the account's oldest pending charge. */
const pending = { ...at, transaction: TransactionId.optional() }

export const BankOrder = z.discriminatedUnion('change', [
  /** A new row. `id`: one that another account has. */
  z.strictObject({
    change: z.literal('record'),
    ...at,
    ...says,
    ...quiet,
    amount,
    id: TransactionId.optional(),
    pending: z.boolean().optional(),
  }),
  /** A pending charge settles under its id. */
  z.strictObject({ change: z.literal('settle'), ...pending, ...says, ...manner }),
  /** A pending charge is dropped, and a settled one appears under a new id. */
  z.strictObject({
    change: z.literal('reissue'),
    ...pending,
    ...says,
    ...quiet,
    /** `tip`: 100 to 130 % of the amount held; `fuel`: any amount. */
    as: z.enum(['same', 'tip', 'fuel']).optional(),
    overlap_ms: milliseconds.optional(),
    gap_ms: milliseconds.optional(),
  }),
  /** A pending charge is dropped for good. */
  z.strictObject({ change: z.literal('drop'), ...pending, ...quiet }),
  /** A row says something else. */
  z.strictObject({ change: z.literal('edit'), ...named, ...says, ...manner }),
  /** The source takes a row back: 404. */
  z.strictObject({ change: z.literal('retract'), ...named, ...quiet }),
  /** A row is listed no more, and still reads by its id. */
  z.strictObject({ change: z.literal('unlist'), ...named, ...quiet }),
  /** A row that was taken back or not listed is there again. */
  z.strictObject({ change: z.literal('restore'), ...named, ...manner }),
  /** A row belongs to another account of the Client from now on. */
  z.strictObject({ change: z.literal('move'), ...named, to: AccountId, ...quiet }),
  /** The account's `count` longest recorded rows are recorded again, as they are. */
  z.strictObject({
    change: z.literal('rerecord'),
    ...at,
    count: z.number().int().min(1).max(1_000_000).optional(),
    ...quiet,
  }),
  /** The source reports so many older days. */
  z.strictObject({
    change: z.literal('backfill'),
    ...at,
    days: z.number().int().min(1).max(3650).optional(),
    ...quiet,
  }),
  /** The account goes away at its bank. */
  z.strictObject({ change: z.literal('close'), ...at }),
  /** It comes back as it was. */
  z.strictObject({ change: z.literal('reopen'), ...at }),
  /** The user links the same bank again. */
  z.strictObject({
    change: z.literal('relink'),
    connection: z.string().min(1),
    environment,
    days: z.number().int().min(0).max(3650).optional(),
    keep_old: z.boolean().optional(),
  }),
])
export type BankOrder = z.infer<typeof BankOrder>
