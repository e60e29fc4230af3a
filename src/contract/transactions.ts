import * as z from 'zod'
import { endpoint } from './endpoint.ts'
import { AccountId, ClientId, TransactionId } from './ids.ts'
import { CalendarDate, Currency, page, paging } from './shapes.ts'

/** A transaction. A field that is not known is absent, not null. `amount` is in major units: money out negative, money in positive, on every source. */
export const Transaction = z.looseObject({
  id: TransactionId,
  account_id: AccountId,
  amount: z.number(),
  iso_currency_code: Currency,
  /** The posted date; of a pending charge, the date the bank recorded it, which can change on settlement. */
  date: CalendarDate,
  description: z.string(),
  /** The upstream aggregator's id, when available. */
  external_id: z.string().optional(),
  merchant_name: z.string().optional(),
  /** Normalized, best effort across sources. */
  category: z.string().optional(),
  /** True while the bank holds an authorization rather than a settled charge. */
  pending: z.boolean(),
})
export type Transaction = z.infer<typeof Transaction>

export const transactions = {
  list: endpoint({
    method: 'GET',
    path: '/accounts/{account_id}/transactions',
    summary: "List an account's transactions, most recently recorded first",
    params: { account_id: AccountId },
    query: {
      client_id: ClientId,
      /** Bounds by transaction date. Whether they are inclusive is not shown; both are taken to be. */
      from: CalendarDate.optional(),
      to: CalendarDate.optional(),
      ...paging,
    },
    success: { 200: page(Transaction) },
    scope: 'read:transactions',
    retry: 'safe',
    paged: true,
    origin: 'documented',
    assumes: 'from and to are inclusive, scope',
  }),
  get: endpoint({
    method: 'GET',
    path: '/transactions/{transaction_id}',
    summary: 'Show a transaction',
    params: { transaction_id: TransactionId },
    query: { client_id: ClientId },
    success: { 200: Transaction },
    scope: 'read:transactions',
    retry: 'safe',
    origin: 'documented',
    assumes: 'scope',
  }),
}
