/** Finds transactions of an account or of all accounts of a Client, the newest first over all of them. */
import * as z from 'zod'
import type { Transaction } from '../../contract/transactions.ts'
import { daysBefore, keyOf } from '../../workflows/transactions-by-date.ts'
import { AccountInput, periodsOf } from '../accounts-of.ts'
import { BankText, bankText } from '../bank-text.ts'
import { ClientInput } from '../client-of.ts'
import { CurrencyTotals, Totals } from '../currency-totals.ts'
import { cursorOf, DatedRows, Day, placeOf } from '../dated-rows.ts'
import { Cursor, NextCursor } from '../paging.ts'
import { tool } from '../tool.ts'

const Row = z.object({
  id: z.string(),
  account_id: z.string(),
  date: z.string(),
  amount: z.number(),
  currency: z.string(),
  pending: z.boolean(),
  bank_text: BankText,
})

const input = {
  client_id: ClientInput,
  account_id: AccountInput,
  text: z.string().max(200).optional().describe('Part of description, merchant or category'),
  from: Day,
  to: Day,
  min_amount: z.number().optional().describe('Signed'),
  max_amount: z.number().optional(),
  pending: z.boolean().optional().describe('True: these alone, and summed'),
  cursor: Cursor,
}

export const searchTransactions = tool({
  name: 'search_transactions',
  title: 'Search transactions',
  description:
    'Transactions of an account or of all accounts of a client, newest date first. The first answer has totals of all that match.',
  input,
  output: {
    looked_back_to: z.string().optional().describe('Absent: to the oldest'),
    complete: z
      .boolean()
      .describe('False: what is older than looked_back_to is in no total; next_cursor goes on'),
    matches: z.int().optional(),
    totals: Totals.optional(),
    transactions: z.array(Row),
    next_cursor: NextCursor,
  },
  scopes: ['read:transactions', 'read:accounts'],
  async run(call, { cursor, from, to, ...wanted }) {
    const after = placeOf(cursor)
    const found = new DatedRows<Transaction>(after, (row) => ({ date: row.date, key: keyOf(row) }))
    const totals =
      after === undefined ? new CurrencyTotals({ sumsPending: wanted.pending === true }) : undefined
    const matches = filterOf(wanted)
    let count = 0
    let back: string | undefined
    let complete = true
    for await (const period of periodsOf(call, wanted, { from, to: earlier(after?.date, to) })) {
      for (const row of period.rows) {
        if (!matches(row)) continue
        count += 1
        totals?.add(row)
        found.add(row)
      }
      back = period.from
      complete = period.isLast
      if (totals === undefined && found.isFull) break
    }
    const { rows, isFull, cursorAfter } = found
    const older =
      back === undefined || complete ? undefined : cursorOf({ date: daysBefore(back, 1), key: '' })
    return {
      data: {
        looked_back_to: back,
        complete,
        matches: totals && count,
        totals: totals?.figures,
        transactions: rows.map(rowOf),
        next_cursor: isFull ? cursorAfter(rows.length) : older,
      },
      cut: { key: 'transactions', cursorAfter },
    }
  },
})

type Wanted = Pick<z.output<z.ZodObject<typeof input>>, 'text' | 'min_amount' | 'max_amount' | 'pending'>

function filterOf({
  text,
  min_amount: min = Number.NEGATIVE_INFINITY,
  max_amount: max = Number.POSITIVE_INFINITY,
  pending,
}: Wanted): (row: Transaction) => boolean {
  const part = text?.toLowerCase()
  return ({ amount, description, merchant_name, category, ...row }) =>
    amount >= min &&
    amount <= max &&
    (pending === undefined || row.pending === pending) &&
    (part === undefined ||
      [description, merchant_name, category].some((field) => field?.toLowerCase().includes(part)))
}

function rowOf(row: Transaction): z.input<typeof Row> {
  const { id, account_id, date, amount, iso_currency_code: currency, pending } = row
  const { description, merchant_name: merchant, category } = row
  return {
    ...{ id, account_id, date, amount, currency, pending },
    bank_text: bankText({ description, merchant, category }) ?? {},
  }
}

function earlier(one: string | undefined, other: string | undefined): string | undefined {
  return one === undefined || (other !== undefined && other < one) ? other : one
}
