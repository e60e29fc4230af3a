import * as z from 'zod'
import { RealizedCapabilities } from './capabilities.ts'
import { endpoint } from './endpoint.ts'
import { AccountId, ClientId, ConnectionId } from './ids.ts'
import { CalendarDate, Currency, DateTime, page, paging, Source } from './shapes.ts'

export const accountTypes = ['checking', 'savings', 'credit_card', 'loan', 'investment', 'other'] as const
export const AccountType = z.enum(accountTypes)
export type AccountType = z.infer<typeof AccountType>

/** Terms of a liability account. A missing field means the bank did not say, not zero. Amounts in major units. */
const Liabilities = z.looseObject({
  credit_limit: z.number().nonnegative().nullish(),
  available_credit: z.number().nonnegative().nullish(),
  /** Signed like `current_balance`: owed is negative. */
  statement_balance: z.number().nullish(),
  minimum_payment: z.number().nonnegative().nullish(),
  /** As current as the last refresh: a past date means the cycle rolled over, not that a payment is overdue. */
  payment_due_date: CalendarDate.nullish(),
})

/** An account. Balances are in major units of `iso_currency_code`. */
export const Account = z.looseObject({
  id: AccountId,
  source: Source,
  type: AccountType,
  iso_currency_code: Currency,
  /** Canonical; null for PDF and on a sandbox single fetch. */
  connection_id: ConnectionId.nullable(),
  client_id: ClientId.optional(),
  name: z.string().optional(),
  /** Open vocabulary; `unknown` when the source gave no type. */
  subtype: z.string().regex(/^[a-z0-9_]+$/),
  /** At most the last 4 digits of the account number. */
  mask: z.string().max(4).nullish(),
  /** Signed from the holder's view: positive is value held, negative is value owed. */
  current_balance: z.number().nullish(),
  /** Not sign-flipped; reported only by AGGREGATOR_B and only for some accounts. */
  available_balance: z.number().nullish(),
  last_refreshed_at: DateTime.nullish(),
  /** The minimum transaction date held; can move backwards after a backfill. */
  oldest_transaction_date: CalendarDate.nullish(),
  liabilities: Liabilities.nullish(),
  realized_capabilities: RealizedCapabilities.nullish(),
  created_at: DateTime.nullish(),
  updated_at: DateTime.nullish(),
})
export type Account = z.infer<typeof Account>

export const accounts = {
  list: endpoint({
    method: 'GET',
    path: '/accounts',
    summary: "List a Client's accounts",
    query: { client_id: ClientId, connection_id: ConnectionId.optional(), ...paging },
    success: { 200: page(Account) },
    scope: 'read:accounts',
    retry: 'safe',
    paged: true,
    origin: 'documented',
    assumes: 'scope',
  }),
  get: endpoint({
    method: 'GET',
    path: '/accounts/{account_id}',
    summary: 'Show an account',
    params: { account_id: AccountId },
    query: { client_id: ClientId },
    success: { 200: Account },
    scope: 'read:accounts',
    retry: 'safe',
    origin: 'documented',
    assumes: 'scope',
  }),
}
