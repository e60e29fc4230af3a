/** Sums up the transactions of a period by month, day, category or merchant. */
import * as z from 'zod'
import { groupings, type SummaryRow, TransactionSums } from '../../workflows/transaction-sums.ts'
import { dateOf, daysBefore, type Period } from '../../workflows/transactions-by-date.ts'
import { AccountInput, periodsOf } from '../accounts-of.ts'
import { BankText, bankText } from '../bank-text.ts'
import { ClientInput } from '../client-of.ts'
import { CurrencyTotals, Figures, Totals } from '../currency-totals.ts'
import { Day } from '../dated-rows.ts'
import { NextCursor, NumberCursor, PAGE_ROWS } from '../paging.ts'
import { tool } from '../tool.ts'

const DEFAULT_DAYS = 90

const Group = z.object({
  group: z.string().optional().describe('Month or day'),
  bank_text: BankText.optional(),
  currency: z.string(),
  figures: Figures,
})

export const summarizeTransactions = tool({
  name: 'summarize_transactions',
  title: 'Summarize spending',
  description:
    'Money in and out of an account or of all accounts of a client, by month or day (newest first), category or merchant (largest first). Settled ones only, currencies apart.',
  input: {
    client_id: ClientInput,
    account_id: AccountInput,
    by: z.enum(groupings),
    from: Day.describe('Without it the last 90 days'),
    to: Day,
    cursor: NumberCursor,
  },
  output: {
    from: z.string(),
    complete: z.boolean().describe('False: older ones than from are in no sum; ask with an earlier to'),
    totals: Totals,
    groups_found: z.int(),
    groups: z.array(Group),
    next_cursor: NextCursor,
  },
  scopes: ['read:transactions', 'read:accounts'],
  async run(call, { by, to, cursor, ...given }) {
    const from = given.from ?? daysBefore(to ?? dateOf(call.now()), DEFAULT_DAYS)
    const sums = new TransactionSums(by)
    const totals = new CurrencyTotals()
    let end: Period | undefined
    for await (const period of periodsOf(call, given, { from, to })) {
      sums.add(period.rows)
      for (const row of period.rows) totals.add(row)
      end = period
    }
    const isInTime = by === 'month' || by === 'day'
    const groups = isInTime ? sums.rows().toSorted(newestFirst) : sums.rows()
    const start = Number(cursor ?? 0)
    const shown = groups.slice(start, start + PAGE_ROWS)
    const left = groups.length > start + shown.length
    return {
      data: {
        from: end?.from ?? from,
        complete: end?.isLast ?? true,
        totals: totals.figures,
        groups_found: groups.length,
        groups: shown.map(({ by: _, group, iso_currency_code: currency, ...figures }) => ({
          ...(isInTime ? { group: group ?? '' } : { bank_text: bankText({ [by]: group }) }),
          currency,
          figures,
        })),
        next_cursor: left ? String(start + shown.length) : undefined,
      },
      cut: { key: 'groups', cursorAfter: (count) => String(start + count) },
    }
  },
})

function newestFirst(one: SummaryRow, other: SummaryRow): number {
  return one.group === other.group ? 0 : (one.group ?? '') < (other.group ?? '') ? 1 : -1
}
