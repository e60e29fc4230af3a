/** Makes rows of the mirror from the service's answers. */
import { hash } from 'node:crypto'
import type { Account } from '../contract/accounts.ts'
import type { Check } from '../contract/checks.ts'
import type { Client } from '../contract/clients.ts'
import type { Connection } from '../contract/connections.ts'
import type { Statement } from '../contract/statements.ts'
import type { Transaction } from '../contract/transactions.ts'
import type { NewRow } from './mirror/mirror.ts'
import { moneyOf } from './money.ts'

/** The answer with its keys in order, so that an answer with other order of keys is the same answer. */
function canonical(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(canonical)
  const answer = value as Readonly<Record<string, unknown>>
  const ordered: Record<string, unknown> = {}
  for (const key of Object.keys(answer).sort()) {
    // Assigning would set the prototype.
    if (key === '__proto__')
      Object.defineProperty(ordered, key, { value: canonical(answer[key]), enumerable: true })
    else ordered[key] = canonical(answer[key])
  }
  return ordered
}

/** Text that Postgres can store as JSON: without NUL and halves of surrogate pairs. */
function storable(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed().replaceAll('\0', '\ufffd')
  if (Array.isArray(value)) return value.map(storable)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [storable(key), storable(inner)]))
}

function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0')
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.every(isStorable)
  for (const key of Object.keys(value)) {
    if (!isStorable(key) || !isStorable((value as Readonly<Record<string, unknown>>)[key])) return false
  }
  return true
}

/** `raw` and `fingerprint` of an answer. */
function identity(answer: unknown): { raw: string; fingerprint: string } {
  const raw = JSON.stringify(canonical(answer))
  return { raw, fingerprint: hash('sha256', raw, 'base64').slice(0, 16) }
}

/** The answer with text that both databases can store. Most answers need no change, and are returned as they are. */
export function cleaned<T>(answer: T): T {
  return isStorable(answer) ? answer : (storable(answer) as T)
}

/** UTC, as ISO-8601 with milliseconds; null for nothing and for what is no time. */
export function utc(time: string | null | undefined): string | null {
  if (time === null || time === undefined) return null
  const milliseconds = Date.parse(time)
  return Number.isNaN(milliseconds) ? null : new Date(milliseconds).toISOString()
}

/** A calendar date; null for nothing and for what is none, which Postgres would refuse. */
function date(value: string | null | undefined): string | null {
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value))
    ? value
    : null
}

const json = (value: unknown) => (value === null || value === undefined ? null : JSON.stringify(value))
const text = (value: unknown) => (typeof value === 'string' ? value : null)

export function clientRow(client: Client): NewRow<'clients'> {
  return {
    id: client.id,
    email: text(client.email),
    name: text(client.name),
    external_id: text(client.external_id),
    created_at: utc(client.created_at),
    ...identity(client),
  }
}

export function institutionRow({ institution }: Connection): NewRow<'institutions'> {
  return {
    id: institution.id,
    name: text(institution.name),
    logo_url: text(institution.logo_url),
    ...identity(institution),
  }
}

export function connectionRow(connection: Connection, clientId: string): NewRow<'connections'> {
  return {
    id: connection.id,
    client_id: clientId,
    institution_id: text(connection.institution?.id),
    source: text(connection.source),
    status: text(connection.status),
    last_error_code: text(connection.last_error?.code),
    last_error: json(connection.last_error),
    requires_desktop_app: connection.requires_desktop_app ?? null,
    expected_capabilities: json(connection.expected_capabilities),
    realized_capabilities: json(connection.realized_capabilities),
    created_at: utc(connection.created_at),
    updated_at: utc(connection.updated_at),
    last_refreshed_at: utc(connection.last_refreshed_at),
    ...identity(connection),
  }
}

export function accountRow(account: Account, clientId: string): NewRow<'accounts'> {
  return {
    id: account.id,
    client_id: clientId,
    connection_id: text(account.connection_id),
    source: text(account.source),
    type: text(account.type),
    subtype: text(account.subtype),
    name: text(account.name),
    mask: text(account.mask),
    iso_currency_code: text(account.iso_currency_code),
    current_balance: moneyOf(account.current_balance, account.iso_currency_code)?.amount ?? null,
    available_balance: moneyOf(account.available_balance, account.iso_currency_code)?.amount ?? null,
    liabilities: json(account.liabilities),
    realized_capabilities: json(account.realized_capabilities),
    oldest_transaction_date: date(account.oldest_transaction_date),
    created_at: utc(account.created_at),
    updated_at: utc(account.updated_at),
    last_refreshed_at: utc(account.last_refreshed_at),
    ...identity(account),
  }
}

export interface Owner {
  readonly account_id: string
  readonly client_id: string
}

export function transactionRow(transaction: Transaction, owner: Owner): NewRow<'transactions'> {
  const money = moneyOf(transaction.amount, transaction.iso_currency_code)
  return {
    account_id: owner.account_id,
    id: transaction.id,
    client_id: owner.client_id,
    date: date(transaction.date),
    amount: money?.amount ?? null,
    amount_minor: money?.minor ?? null,
    amount_exponent: money?.exponent ?? null,
    iso_currency_code: text(transaction.iso_currency_code),
    description: text(transaction.description),
    merchant_name: text(transaction.merchant_name),
    category: text(transaction.category),
    external_id: text(transaction.external_id),
    pending: transaction.pending === true,
    ...identity(transaction),
  }
}

export function statementRow(statement: Statement, owner: Owner): NewRow<'statements'> {
  return {
    account_id: owner.account_id,
    id: statement.id,
    client_id: owner.client_id,
    statement_date: date(statement.statement_date),
    source: text(statement.source),
    download_url: text(statement.download_url),
    exported_to: text(statement.exported_to),
    ...identity({ ...statement, account_id: owner.account_id }),
  }
}

export function checkRow(check: Check, owner: Owner, currency: string | null): NewRow<'checks'> {
  const money = moneyOf(check.amount, currency)
  return {
    account_id: owner.account_id,
    id: check.id,
    client_id: owner.client_id,
    source: text(check.source),
    check_number: text(check.check_number),
    amount: money?.amount ?? null,
    amount_minor: money?.minor ?? null,
    amount_exponent: money?.exponent ?? null,
    pay_to: text(check.pay_to),
    description: text(check.description),
    transaction_date: date(check.transaction_date),
    download_url: text(check.download_url),
    ocr: json(check.ocr),
    ...identity(check),
  }
}
