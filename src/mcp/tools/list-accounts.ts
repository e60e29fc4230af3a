/** A Client's accounts with their balances, the sums of each currency first. */
import * as z from 'zod'
import { items } from '../../api/pages.ts'
import type { Account } from '../../contract/accounts.ts'
import { pageSize } from '../../contract/service.ts'
import { DecimalSum } from '../../workflows/decimal.ts'
import { BankText, bankText } from '../bank-text.ts'
import { ClientInput, clientOf } from '../client-of.ts'
import { Cursor, NextCursor, type Paging, readRows } from '../paging.ts'
import { type OrNull, tool } from '../tool.ts'

const Sum = z.object({
  currency: z.string(),
  accounts: z.int(),
  held: z.number(),
  owed: z.number().describe('Negative'),
  without_balance: z.int(),
})

const Row = z.object({
  id: z.string(),
  connection_id: z.string().optional(),
  type: z.string(),
  subtype: z.string(),
  currency: z.string(),
  current_balance: z.number().optional(),
  available_balance: z.number().optional(),
  last_refreshed_at: z.string().optional(),
  oldest_transaction_date: z.string().optional(),
  bank_text: BankText.optional(),
})

export const listAccounts = tool({
  name: 'list_accounts',
  title: 'Accounts and balances',
  description:
    "A client's accounts with balances; the sums per currency come first. A positive balance is held, a negative one owed.",
  input: { client_id: ClientInput, connection_id: z.string().max(200).optional(), cursor: Cursor },
  output: { totals: z.array(Sum).optional(), accounts: z.array(Row), next_cursor: NextCursor },
  scopes: ['read:accounts'],
  async run(call, { client_id, connection_id, cursor }) {
    const { api, signal, pii } = call
    const input = {
      client_id: clientOf(call, client_id),
      ...(connection_id === undefined ? {} : { connection_id }),
    }
    const list = (page: Paging) => api.accounts.list({ ...input, ...page }, { signal })
    const { rows, next_cursor, cursorAfter } = await readRows<Account>({ list, cursor })
    return {
      data: {
        // Of all, with the first rows.
        ...(cursor === undefined ? { totals: await totalsOf(items(list, { limit: pageSize.max })) } : {}),
        accounts: rows.map((account) => rowOf(account, pii)),
        next_cursor,
      },
      cut: { key: 'accounts', cursorAfter },
    }
  },
})

function rowOf(account: Account, pii: boolean): OrNull<z.input<typeof Row>> {
  const { id, connection_id, type, subtype, iso_currency_code, current_balance, available_balance } = account
  return {
    ...{ id, connection_id, type, subtype, current_balance, available_balance },
    currency: iso_currency_code,
    last_refreshed_at: account.last_refreshed_at,
    oldest_transaction_date: account.oldest_transaction_date,
    ...(pii ? { bank_text: bankText({ name: account.name, mask: account.mask }) } : {}),
  }
}

async function totalsOf(accounts: AsyncIterable<Account>): Promise<z.input<typeof Sum>[]> {
  const sums = new Map<string, { accounts: number; held: DecimalSum; owed: DecimalSum; without: number }>()
  for await (const { iso_currency_code: currency, current_balance: balance } of accounts) {
    const sum = sums.get(currency) ?? {
      accounts: 0,
      held: new DecimalSum(),
      owed: new DecimalSum(),
      without: 0,
    }
    sums.set(currency, sum)
    sum.accounts += 1
    if (balance == null) sum.without += 1
    else if (balance >= 0) sum.held.add(balance)
    else sum.owed.add(balance)
  }
  return [...sums].map(([currency, { accounts, held, owed, without }]) => ({
    ...{ currency, accounts, held: held.value, owed: owed.value, without_balance: without },
  }))
}
