/** Handlers of accounts. */
import type { Account, accounts as contract } from '../../contract/accounts.ts'
import { isUnsupported, realized } from '../engine/capabilities.ts'
import { pageOf } from '../engine/paging.ts'
import type { AccountRow } from '../store/accounts.ts'
import { accountOf, clientOf, connectionOf, type Handlers } from './handler.ts'

export const accounts: Handlers<typeof contract> = {
  list({ client_id, connection_id, ...page }, call) {
    const { accounts: rows } = call.engine.store
    const client = clientOf(call, client_id)
    const connection = connection_id === undefined ? undefined : connectionOf(call, connection_id).seq
    return pageOf(
      call.engine,
      ['accounts', client.seq, connection],
      page,
      (slice) =>
        connection === undefined
          ? rows.list(client.seq, slice)
          : rows.listOfConnection(client.seq, connection, slice),
      onWire,
    )
  },

  get({ account_id, client_id }, call) {
    const account = onWire(accountOf(call, client_id, account_id))
    // In the sandbox a single account comes without its connection_id.
    return call.environment === 'sandbox' ? { ...account, connection_id: null } : account
  },
}

function onWire(row: AccountRow): Account {
  return {
    id: row.id,
    source: row.source,
    type: row.type,
    subtype: row.subtype,
    iso_currency_code: row.iso_currency_code,
    connection_id: row.connection_id,
    client_id: row.client_id,
    ...(row.name === null ? {} : { name: row.name }),
    mask: row.mask,
    current_balance: row.current_balance,
    available_balance: row.available_balance,
    last_refreshed_at: row.last_refreshed_at,
    oldest_transaction_date: isUnsupported(row.capabilities, 'transactions')
      ? null
      : row.oldest_transaction_date,
    liabilities: row.liabilities ? (JSON.parse(row.liabilities) as Account['liabilities']) : null,
    realized_capabilities: row.capabilities ? realized(row.capabilities) : null,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}
