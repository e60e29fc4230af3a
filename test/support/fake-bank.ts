/** A service of many Clients, whose rows are made as they are asked for: for lists across Clients of any length. */
import { json, type Listening, serve } from '../api/servers.ts'

export interface FakeBank extends Listening {
  /** Paths asked for, without their query. */
  readonly asked: string[]
  /** The most requests that waited for their answer at once. */
  mostAtOnce: number
  /** Statuses of paths that are refused; a test changes it. */
  readonly refusals: Map<string, { readonly status: number; readonly code: string }>
}

export interface Sizes {
  readonly clients: number
  /** Of each Client, with one account each. */
  readonly connections: number
  /** Transactions of each account. */
  readonly rows: number
}

/** Serves until the end of the test. Each account has the transactions txn_FDE_0, txn_FDE_1 and so on. */
export async function fakeBank({ clients, connections, rows }: Sizes): Promise<FakeBank> {
  const asked: string[] = []
  const refusals: FakeBank['refusals'] = new Map()
  let atOnce = 0
  const bank = { asked, refusals, mostAtOnce: 0 }
  const server = await serve(async ({ url }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://localhost')
    const path = pathname.slice('/v3'.length)
    asked.push(path)
    atOnce += 1
    bank.mostAtOnce = Math.max(bank.mostAtOnce, atOnce)
    // Until the other requests that were sent with it have come.
    await new Promise((resolve) => setTimeout(resolve, 2))
    atOnce -= 1
    const refusal = refusals.get(path)
    if (refusal !== undefined) {
      json(response, refusal.status, { error: { code: refusal.code, message: `refused: ${path}` } })
      return
    }
    const start = Number(searchParams.get('cursor') ?? 0)
    const end = start + Math.min(Number(searchParams.get('limit') ?? 100), 500)
    const page = (count: number, row: (at: number) => object) =>
      json(response, 200, {
        data: Array.from({ length: Math.max(0, Math.min(end, count) - start) }, (_, at) => row(start + at)),
        has_more: end < count,
        next_cursor: end < count ? String(end) : null,
      })
    const client = searchParams.get('client_id') ?? path.split('/')[2] ?? ''
    if (path === '/clients') page(clients, (at) => ({ id: `cli_${at}`, external_id: `user-${at}` }))
    else if (path.endsWith('/connections')) page(connections, (at) => connection(client, at))
    else if (path === '/accounts') page(connections, (at) => account(client, at))
    else if (path.endsWith('/transactions')) page(rows, (at) => transaction(path.split('/')[2] ?? '', at))
    else json(response, 404, { error: { code: 'not_found', message: `no ${path}` } })
  })
  return Object.assign(bank, server)
}

const time = '2026-01-01T00:00:00Z'

function connection(client: string, at: number) {
  return {
    id: `con_FDE_${client.slice(4)}0${at}`,
    client_id: client,
    source: 'FDE',
    status: at % 2 === 0 ? 'active' : 'failed',
    created_at: time,
    updated_at: time,
    last_refreshed_at: time,
    institution: { id: `ins_${at}`, name: `Bank ${at}` },
  }
}

function account(client: string, at: number) {
  return {
    id: `acc_FDE_${client.slice(4)}0${at}`,
    source: 'FDE',
    type: at % 2 === 0 ? 'checking' : 'savings',
    subtype: 'checking',
    iso_currency_code: 'USD',
    connection_id: connection(client, at).id,
    client_id: client,
    name: `Account ${at}`,
  }
}

function transaction(account_id: string, at: number) {
  return {
    id: `txn_FDE_${at}`,
    account_id,
    amount: -((at * 37) % 20_000) / 100,
    iso_currency_code: 'USD',
    date: '2026-01-01',
    description: `HILLTOP GROCERS ${at} PORTLAND OR`,
    merchant_name: 'Hilltop Grocers',
    category: 'groceries',
    pending: false,
  }
}
