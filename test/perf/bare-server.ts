/** What the emulator is measured against: node:http, the same SQLite reads, and nothing else. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'

const [file = ''] = process.argv.slice(2)
const db = new DatabaseSync(file, { readOnly: true })
const account = db.prepare(
  `SELECT a.*, k.id AS client_id, c.id AS connection_id, c.capabilities AS capabilities
    FROM accounts a JOIN clients k ON k.seq = a.client LEFT JOIN connections c ON c.seq = a.connection
    WHERE a.tenant = ? AND a.id = ? AND k.id = ?`,
)
const page = db.prepare(
  `SELECT seq, id, amount, iso_currency_code, date, description, external_id, merchant_name, category, pending
    FROM transactions WHERE account = ? AND seq < ? AND retracted = 0 ORDER BY seq DESC LIMIT ?`,
)
const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://host')
  const [, , , id] = pathname.split('/')
  const row = account.get(1, id ?? '', searchParams.get('client_id') ?? '') as Record<string, unknown> | undefined
  const limit = Number(searchParams.get('limit') ?? 100)
  const body = pathname.endsWith('/transactions')
    ? { data: page.all(Number(row?.['seq']), Number.MAX_SAFE_INTEGER, limit + 1) }
    : row
  response.setHeader('content-type', 'application/json; charset=utf-8')
  response.end(JSON.stringify(body))
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
