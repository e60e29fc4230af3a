/** Types of the seeded rows, shaped by the contract. */
import type { Account } from '../../contract/accounts.ts'
import type { Check } from '../../contract/checks.ts'
import type { Connection } from '../../contract/connections.ts'
import type { ConnectionSource } from '../../contract/shapes.ts'
import type { Statement } from '../../contract/statements.ts'
import type { Transaction } from '../../contract/transactions.ts'

/**
 * The fields a contract type declares, all present: the contract reads leniently (unknown fields, missing optional
 * ones), a seed states every field, null where there is nothing to say.
 */
export type Stated<T> = {
  [K in keyof T as string extends K ? never : K]-?: undefined extends T[K]
    ? Exclude<T[K], undefined> | null
    : T[K]
}

/** Everything of an Account but what the engine tracks per Connection. */
export type SeededAccount = Omit<Stated<Account>, 'realized_capabilities' | 'client_id' | 'name'> & {
  client_id: string
  name: string
}

export type SeededTransaction = Stated<Transaction>

/** Everything of a Statement but its `download_url`, which follows from its id; plus what its PDF needs to say. */
export type SeededStatement = Omit<Stated<Statement>, 'download_url' | 'account_id'> & {
  account_id: string
  /** First and last day covered, both inclusive; the last is the `statement_date`. */
  period_start: string
  /** Settled balance before the first and after the last day, in major units, signed like `current_balance`. */
  opening_balance: number
  closing_balance: number
}

/** Everything of a Check but its `download_url`, which follows from its ids. `ocr` is absent, never null. */
export type SeededCheck = Omit<Stated<Check>, 'download_url' | 'ocr'> & {
  ocr?: Stated<NonNullable<Check['ocr']>>
}

export interface AccountSeed {
  readonly account: SeededAccount
  /** In the order they were recorded, first recorded first: a list of the API reads it backwards. */
  readonly transactions: readonly SeededTransaction[]
  /** Oldest first. Empty for PDF: statements are not served for it. */
  readonly statements: readonly SeededStatement[]
  /** FDE only, oldest first. */
  readonly checks: readonly SeededCheck[]
}

export interface ConnectionSeed {
  /** Canonical: `con_<SOURCE>_<bankAccountId>`. */
  readonly id: string
  readonly institution_id: string
  readonly source: ConnectionSource
  readonly status: Connection['status']
  readonly created_at: string
  readonly updated_at: string
  readonly last_refreshed_at: string
  readonly accounts: readonly AccountSeed[]
}

export interface ClientSeed {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly external_id: string
  readonly created_at: string
  readonly connections: readonly ConnectionSeed[]
  /** Accounts read out of uploaded statements: `connection_id` is null. */
  readonly pdfAccounts: readonly AccountSeed[]
}

export interface CustomerSeed {
  readonly name: 'A' | 'B'
  readonly clients: readonly ClientSeed[]
}

export interface SeedData {
  readonly customers: readonly CustomerSeed[]
}
