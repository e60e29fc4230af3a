/** Lists statements of an account or of all accounts of a Client, the newest first over all of them. No PDF is read. */
import * as z from 'zod'
import { items } from '../../api/pages.ts'
import { pageSize } from '../../contract/service.ts'
import type { Statement } from '../../contract/statements.ts'
import type { Limiter } from '../../workflows/limiter.ts'
import { AccountInput, accountsOf, limiterOf } from '../accounts-of.ts'
import type { Call } from '../assistant.ts'
import { BankText, bankText } from '../bank-text.ts'
import { ClientInput, clientOf } from '../client-of.ts'
import { DatedRows, Day, placeOf } from '../dated-rows.ts'
import { Cursor, NextCursor, type Paging } from '../paging.ts'
import { tool } from '../tool.ts'

const Row = z.object({
  id: z.string(),
  account_id: z.string(),
  statement_date: z.string(),
  downloadable: z.boolean(),
  bank_text: BankText.optional(),
})

export const listStatements = tool({
  name: 'list_statements',
  title: 'Statements',
  description:
    'Statements of an account or of all accounts of a client, newest first. Their PDFs are for a person: download is the command.',
  input: { client_id: ClientInput, account_id: AccountInput, from: Day, to: Day, cursor: Cursor },
  output: {
    statements_found: z.int(),
    latest: z.string().optional(),
    download: z.string().describe('Command; put in the id'),
    statements: z.array(Row),
    next_cursor: NextCursor,
  },
  scopes: ['read:statements'],
  async run(call, { client_id, account_id, cursor, from = '', to = '9999' }) {
    const client = clientOf(call, client_id)
    const accounts = account_id === undefined ? await accountsWithStatements(call, client) : [account_id]
    const limiter = limiterOf(call)
    const all = (await Promise.all(accounts.map((id) => statementsOf(call, limiter, client, id))))
      .flat()
      .filter(({ statement_date: date }) => from <= date && date <= to)
      .toSorted(newestFirst)
    const found = new DatedRows<Found>(placeOf(cursor), (row) => ({
      date: row.statement_date,
      key: keyOf(row),
    }))
    for (const row of all) found.add(row)
    const { rows, isFull, cursorAfter } = found
    return {
      data: {
        statements_found: all.length,
        latest: all[0]?.statement_date,
        download: call.command('statements', 'download', 'STATEMENT_ID', '--client', client),
        statements: rows.map((row) => ({
          id: row.id,
          account_id: row.of,
          statement_date: row.statement_date,
          downloadable: row.download_url !== undefined,
          bank_text: bankText({ exported_to: row.exported_to }),
        })),
        next_cursor: isFull ? cursorAfter(rows.length) : undefined,
      },
      cut: { key: 'statements', cursorAfter },
    }
  },
})

type Found = Statement & { readonly of: string }

/** The service has no statements of uploaded PDFs. */
async function accountsWithStatements(call: Call, client_id: string): Promise<string[]> {
  const accounts = await accountsOf(call, { client_id })
  return accounts.filter(({ source }) => source !== 'PDF').map(({ id }) => id)
}

async function statementsOf(
  { api, signal }: Call,
  limiter: Limiter,
  client_id: string,
  account_id: string,
): Promise<Found[]> {
  const list = (page: Paging) =>
    limiter.run(() => api.statements.list({ account_id, client_id, ...page }, { signal }), signal)
  const found = await Array.fromAsync(items(list, { limit: pageSize.max }))
  return found.map((statement) => ({ ...statement, of: account_id }))
}

function keyOf({ of, id }: Found): string {
  return `${of}/${id}`
}

function newestFirst(one: Found, other: Found): number {
  if (one.statement_date !== other.statement_date) return one.statement_date < other.statement_date ? 1 : -1
  return keyOf(one) < keyOf(other) ? -1 : 1
}
