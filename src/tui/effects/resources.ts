/** Reads Clients, Connections, accounts and transactions from the service, as rows that are safe to show. */
import type { Account } from '../../contract/accounts.ts'
import type { Client } from '../../contract/clients.ts'
import type { Connection } from '../../contract/connections.ts'
import type { Transaction } from '../../contract/transactions.ts'
import {
  type AcrossOptions,
  accountsAcross,
  clientsAcross,
  connectionsAcross,
} from '../../workflows/across-clients.ts'
import { isSumOfTransactions } from '../../workflows/balance-history.ts'
import { DecimalSum } from '../../workflows/decimal.ts'
import { Limiter } from '../../workflows/limiter.ts'
import type { Effect } from '../state/events.ts'
import type { ResourceRow } from '../state/resource-row.ts'
import type { EffectTools } from './tools.ts'

/** Of one list; the rest is in the lists of the command line. */
const MAX_ROWS = 1000
/** Rows are shown while more are read. */
const ROWS_PER_NEWS = 100
const PAGE_SIZE = 100

export interface Resources {
  /** Reads a list until it is complete or another one is asked for. */
  load(effect: Extract<Effect, { kind: 'load-resources' }>): Promise<void>
  /** What the service returned for a row of the list. */
  recordOf(id: string): object | undefined
}

type Found = readonly [row: ResourceRow, record: object]

export function createResources({ api, clock, signal, safe, explain, dispatch }: EffectTools): Resources {
  let current = new AbortController()
  let records = new Map<string, object>()

  return {
    async load({ reading, resource, of }) {
      current.abort()
      current = new AbortController()
      const stop = AbortSignal.any([signal, current.signal])
      const rows: ResourceRow[] = []
      const found = new Map<string, object>()
      const told = (done: 'complete' | 'failed' | undefined, note?: string) => {
        if (stop.aborted) return
        records = found
        dispatch({ kind: 'resources', reading, rows: [...rows], done, note })
      }
      try {
        const limiter = new Limiter({ clock, concurrency: 2 })
        const across = {
          limiter,
          signal: stop,
          keepGoing: true,
          clients: of?.clientId === undefined ? undefined : [of.clientId],
        }
        for await (const [row, record] of rowsOf(resource, of, across)) {
          found.set(row.id, record)
          rows.push(row)
          if (rows.length >= MAX_ROWS) return told('complete', `the first ${MAX_ROWS}`)
          if (rows.length % ROWS_PER_NEWS === 0) told(undefined)
        }
        told('complete')
      } catch (error) {
        if (!stop.aborted) told('failed', safe(await explain(error)))
      }
    },
    recordOf: (id) => records.get(id),
  }

  async function* rowsOf(
    resource: ResourceRow['kind'],
    of: Extract<Effect, { kind: 'load-resources' }>['of'],
    across: AcrossOptions,
  ): AsyncGenerator<Found> {
    switch (resource) {
      case 'clients':
        for await (const client of clientsAcross(api, across)) yield [clientRow(client, safe), client]
        return
      case 'connections':
        for await (const { connection, client } of connectionsAcross(api, across)) {
          yield [connectionRow(connection, client, safe), connection]
        }
        return
      case 'accounts': {
        const connection = of?.connectionId
        const accept = (account: Account) => connection === undefined || account.connection_id === connection
        for await (const page of accountsAcross(api, across, { accept })) {
          for (const { account, client } of page) yield [accountRow(account, client, safe), account]
        }
        return
      }
      case 'transactions':
        if (of?.accountId !== undefined && of.clientId !== undefined) {
          yield* transactionsOf(of.accountId, of.clientId, across.signal)
        }
    }
  }

  /** Newest first, each with the balance after it, counted back from the balance of today. */
  async function* transactionsOf(
    account_id: string,
    client_id: string,
    stop: AbortSignal,
  ): AsyncGenerator<Found> {
    const account = await api.accounts.get({ account_id, client_id }, { signal: stop })
    const found: Transaction[] = []
    let cursor: string | undefined
    do {
      const page = await api.transactions.list(
        { account_id, client_id, limit: PAGE_SIZE, ...(cursor === undefined ? {} : { cursor }) },
        { signal: stop },
      )
      found.push(...page.data)
      cursor = page.next_cursor ?? undefined
    } while (cursor !== undefined && found.length < MAX_ROWS)
    // The list is in the order of recording.
    found.sort((a, b) => (a.date < b.date ? 1 : a.date > b.date ? -1 : 0))
    const { type, current_balance } = account
    const balance =
      current_balance != null && isSumOfTransactions(type) ? new DecimalSum(current_balance) : undefined
    for (const transaction of found) {
      yield [transactionRow(transaction, account, balance?.value, safe), transaction]
      if (!transaction.pending) balance?.subtract(new DecimalSum(transaction.amount))
    }
  }
}

type Safe = (text: string) => string

function clientRow(client: Client, safe: Safe): ResourceRow {
  const { id, name, email, external_id, created_at } = client
  return {
    ...row('clients', id, safe),
    clientId: id,
    cells: cells(safe, {
      name: name ?? email ?? id,
      id,
      email,
      external: external_id,
      since: created_at?.slice(0, 10),
    }),
  }
}

function connectionRow(connection: Connection, client: Client, safe: Safe): ResourceRow {
  const { id, status, source, institution, last_error, last_refreshed_at } = connection
  const refreshed = last_refreshed_at?.slice(0, 16).replace('T', ' ')
  return {
    ...row('connections', id, safe),
    type: source,
    status,
    failed: status === 'failed' || status === 'disconnected' || status === 'requires_action',
    clientId: connection.client_id ?? client.id,
    connectionId: id,
    docUrl: last_error?.doc_url === undefined ? undefined : safe(last_error.doc_url),
    cells: cells(safe, {
      ...{ name: institution.name, id, client: client.id, error: last_error?.code, refreshed },
    }),
  }
}

function accountRow(account: Account, client: Client, safe: Safe): ResourceRow {
  const { id, type, mask, name, current_balance, iso_currency_code, connection_id } = account
  return {
    ...row('accounts', id, safe),
    type,
    clientId: account.client_id ?? client.id,
    connectionId: connection_id ?? undefined,
    cells: cells(safe, {
      ...{ name: name ?? id, type, id, client: client.id, mask: mask ? `•••• ${mask}` : undefined },
      balance: current_balance == null ? undefined : money(current_balance, iso_currency_code),
    }),
  }
}

function transactionRow(
  transaction: Transaction,
  account: Account,
  balance: number | undefined,
  safe: Safe,
): ResourceRow {
  const { id, date, amount, iso_currency_code, pending, category } = transaction
  return {
    ...row('transactions', id, safe),
    type: category === undefined ? undefined : safe(category),
    status: pending ? 'pending' : 'posted',
    income: amount > 0,
    clientId: account.client_id,
    connectionId: account.connection_id ?? undefined,
    balance,
    cells: cells(safe, {
      name: `${pending ? '… ' : ''}${transaction.merchant_name ?? transaction.description}`,
      ...{ date, category },
      // The account's own currency stands with its balance.
      amount: `${amount > 0 ? '+' : ''}${money(amount, iso_currency_code, account.iso_currency_code)}`,
      balance:
        balance === undefined || pending
          ? undefined
          : money(balance, account.iso_currency_code, account.iso_currency_code),
    }),
  }
}

function row(kind: ResourceRow['kind'], id: string, safe: Safe): ResourceRow {
  return {
    ...{ kind, id: safe(id), cells: {}, failed: false, income: false },
    ...{ type: undefined, status: undefined, clientId: undefined, connectionId: undefined },
    ...{ docUrl: undefined, balance: undefined },
  }
}

const MAX_CHARACTERS = 200

function cells(
  safe: Safe,
  texts: Readonly<Record<string, string | null | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => {
      const short =
        text != null && text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : (text ?? '')
      return [name, safe(short)]
    }),
  )
}

/** `1,234.56 USD`, with as many decimals as the currency has, without it where it is the usual one. */
function money(amount: number, currency: string, usual?: string): string {
  const digits = fractionDigits(currency)
  const text = amount.toLocaleString('en-US', {
    minimumFractionDigits: digits,
    maximumFractionDigits: Math.max(digits, 2),
  })
  return currency === usual ? text : `${text} ${currency}`
}

function fractionDigits(currency: string): number {
  try {
    return (
      new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ??
      2
    )
  } catch {
    return 2
  }
}
