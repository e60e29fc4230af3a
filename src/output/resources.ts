/** The fields that tables show of each resource of the API, and the text of those that need more than a table. */
import type { Account } from '../contract/accounts.ts'
import type { Check } from '../contract/checks.ts'
import type { Client } from '../contract/clients.ts'
import type { Connection } from '../contract/connections.ts'
import type { Institution } from '../contract/institutions.ts'
import type { ApiKey } from '../contract/keys.ts'
import type { Operation } from '../contract/operations.ts'
import type { RedirectAllowlist } from '../contract/redirect-urls.ts'
import type { Statement } from '../contract/statements.ts'
import type { Transaction } from '../contract/transactions.ts'
import type { Subscription } from '../contract/webhooks.ts'
import { currencyOf, type Field, headerOf, inferFields, inferKind, isObject } from './fields.ts'
import { safeText } from './safe-text.ts'
import type { View } from './view.ts'

export const institutionFields: readonly Field<Institution>[] = [
  { key: 'id', kind: 'id' },
  { key: 'name', priority: 3, tells: true },
  { key: 'requires_desktop_app', header: 'desktop app', kind: 'boolean', priority: 1 },
]

export const clientFields: readonly Field<Client>[] = [
  { key: 'id', kind: 'id' },
  { key: 'name', priority: 3, tells: true },
  { key: 'email', priority: 2 },
  { key: 'external_id', priority: 1 },
  { key: 'created_at', header: 'created', kind: 'time' },
]

export const connectionFields: readonly Field<Connection>[] = [
  { key: 'id', kind: 'id' },
  { key: 'status', kind: 'status', priority: 5 },
  { key: 'institution.name', header: 'institution', priority: 4, tells: true },
  { key: 'source', priority: 2 },
  { key: 'last_error.code', header: 'last error', priority: 3 },
  { key: 'last_refreshed_at', header: 'last refreshed', kind: 'time', priority: 1 },
]

interface CapabilityRow {
  readonly capability: string
  readonly promise: string | undefined
  readonly status: string | undefined
  readonly last_success_at: string | null | undefined
  readonly next_refresh_after: string | null | undefined
  readonly error: string | undefined
}

const capabilityFields: readonly Field<CapabilityRow>[] = [
  { key: 'capability', priority: 9 },
  { key: 'promise', kind: 'status', priority: 2 },
  { key: 'status', kind: 'status', priority: 8 },
  { key: 'error', priority: 7 },
  { key: 'last_success_at', header: 'last success', kind: 'time', priority: 4 },
  { key: 'next_refresh_after', header: 'next refresh after', kind: 'time', priority: 3 },
]

/** One Connection: its fields, then on a terminal a table with a row per capability, promised and realized side by side. */
export function connectionText(connection: Connection, out: View): string {
  const { expected_capabilities: expected = {}, realized_capabilities: realized = {}, ...rest } = connection
  const names = [...new Set([...Object.keys(expected), ...Object.keys(realized)])]
  const rows = names.map((capability): CapabilityRow => {
    const observed = realized[capability as keyof typeof realized]
    return {
      capability,
      promise: expected[capability as keyof typeof expected]?.promise,
      status: observed?.status,
      last_success_at: observed?.last_success_at,
      next_refresh_after: observed?.next_refresh_after,
      error: observed?.last_error?.code,
    }
  })
  // In a pipe every value is printed under its own key.
  if (!out.tty || rows.length === 0) return out.record(connection)
  return `${out.record(rest)}\n${out.table(rows, capabilityFields)}`
}

export const accountFields: readonly Field<Account>[] = [
  { key: 'id', kind: 'id' },
  { key: 'name', priority: 5, tells: true },
  { key: 'type', priority: 4 },
  { key: 'subtype', priority: 1 },
  { key: 'mask', priority: 2 },
  { key: 'current_balance', header: 'balance', kind: 'money', priority: 9 },
  { key: 'available_balance', header: 'available', kind: 'money', priority: 1 },
  { key: 'last_refreshed_at', header: 'last refreshed', kind: 'time', priority: 2 },
]

export const transactionFields: readonly Field<Transaction>[] = [
  { key: 'date', kind: 'date', priority: 8 },
  { key: 'amount', kind: 'money', priority: 9, signed: true },
  { key: 'description', priority: 7, tells: true },
  { key: 'merchant_name', header: 'merchant', priority: 1 },
  { key: 'category', priority: 3 },
  {
    key: 'pending',
    header: 'state',
    kind: 'status',
    priority: 4,
    get: ({ pending }) => (pending ? 'pending' : 'posted'),
  },
  { key: 'id', kind: 'id', priority: 6 },
]

export const statementFields: readonly Field<Statement>[] = [
  { key: 'id', kind: 'id' },
  { key: 'statement_date', header: 'date', kind: 'date', priority: 5 },
  { key: 'source', priority: 1 },
  { key: 'exported_to', header: 'exported to', priority: 2 },
  {
    key: 'download',
    kind: 'boolean',
    priority: 3,
    get: ({ download_url }) => download_url !== undefined && download_url !== null,
  },
]

/** Amounts are in the account's currency, which a check does not name: they are shown as plain numbers. */
export const checkFields: readonly Field<Check>[] = [
  { key: 'id', kind: 'id' },
  { key: 'check_number', header: 'number', priority: 4 },
  { key: 'amount', kind: 'number', align: 'right', priority: 5 },
  { key: 'pay_to', header: 'pay to', priority: 3, tells: true },
  { key: 'transaction_date', header: 'date', kind: 'date', priority: 4 },
  { key: 'ocr.amount', header: 'read amount', kind: 'number', align: 'right', priority: 1 },
]

export const operationFields: readonly Field<Operation>[] = [
  { key: 'id', kind: 'id' },
  { key: 'type', priority: 3 },
  { key: 'status', kind: 'status', priority: 5 },
  { key: 'error.code', header: 'error', priority: 4 },
  { key: 'created_at', header: 'created', kind: 'time', priority: 1 },
  { key: 'completed_at', header: 'completed', kind: 'time', priority: 2 },
]

/**
 * An Operation with what its result lists: the accounts of a report, the line items of a statement. The reference does not
 * show those results, so whatever is there is shown. A result without a list, such as a Connection, is left to its commands.
 */
export function operationText(operation: Operation, out: View): string {
  const { kind: _, ...result } = operation.result ?? {}
  const lists = Object.entries(result).filter((entry): entry is [string, object[]] =>
    isListOfObjects(entry[1]),
  )
  if (lists.length === 0 || out.hasColumns) return out.record(operation, operationFields)
  const currency = currencyOf(result)
  const facts = Object.entries(result)
    .filter(([, value]) => !Array.isArray(value) && !isObject(value))
    .map(
      ([key, value]): Field<Operation> => ({
        key: `result.${key}`,
        header: headerOf({ key }),
        kind: inferKind(key, value, result),
        currency: () => currency,
      }),
    )
  const tables = lists.map(([key, rows]) => {
    const name = out.bold(`${headerOf({ key })}:`)
    return rows.length === 0
      ? `${name} none\n`
      : `${name}\n${out.table(rows, withoutCurrency(inferFields(rows), out))}`
  })
  return [out.record(operation, [...operationFields, ...withoutCurrency(facts, out)]), ...tables].join('\n')
}

/** On a terminal an amount is shown with its currency. */
function withoutCurrency<Row>(fields: readonly Field<Row>[], { tty }: View): readonly Field<Row>[] {
  const isShown = tty && fields.some(({ kind }) => kind === 'money')
  return isShown ? fields.filter(({ key }) => !key.endsWith('iso_currency_code')) : fields
}

function isListOfObjects(value: unknown): value is object[] {
  return Array.isArray(value) && value.every(isObject)
}

export const subscriptionFields: readonly Field<Subscription>[] = [
  { key: 'id', kind: 'id' },
  { key: 'url', priority: 3, tells: true },
  { key: 'event_types', header: 'events', priority: 2 },
  { key: 'status', kind: 'status', priority: 1 },
  {
    key: 'delivering',
    kind: 'status',
    priority: 4,
    get: ({ last_failure_at, last_success_at }) => deliveryState(last_failure_at, last_success_at),
  },
  { key: 'last_success_at', header: 'last success', kind: 'time' },
  { key: 'last_failure_at', header: 'last failure', kind: 'time' },
]

/** A failure newer than the last success means deliveries are failing now; a subscription's status never says so. */
function deliveryState(failure: string | undefined, success: string | undefined): string | undefined {
  if (failure === undefined && success === undefined) return undefined
  if (failure === undefined) return 'delivered'
  return success !== undefined && Date.parse(success) >= Date.parse(failure) ? 'delivered' : 'failed'
}

export const apiKeyFields: readonly Field<ApiKey>[] = [
  { key: 'id', kind: 'id' },
  { key: 'prefix', priority: 4 },
  { key: 'environment', priority: 1 },
  { key: 'status', kind: 'status', priority: 5 },
  { key: 'scopes', priority: 3 },
  { key: 'last_used_at', header: 'last used', kind: 'time', priority: 2 },
]

/** The redirect allowlist, one URL per line. */
export function allowlistText(allowlist: RedirectAllowlist, out: View): string {
  const urls: unknown = allowlist.allowed_redirect_urls
  // The reference does not show this answer.
  if (!Array.isArray(urls) || !urls.every((url) => typeof url === 'string')) return out.record(allowlist)
  return urls.length === 0
    ? out.warn('The allowlist is empty: every redirect is denied.')
    : urls.map((url) => safeText(url)).join('\n')
}
