/**
 * A bare node:http server to compare the emulator with: the same SQLite reads through the same prepared statements, without
 * keys, checks or trace ids. Runs as a separate process: takes the data file as its argument and prints its port.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openStore } from '../../../src/emulator/store/store.ts'

const [file = ''] = process.argv.slice(2)
const store = openStore(file)
const tenant = store.tenants.all().find((one) => one.environment === 'sandbox' && one.customer === 'A')
if (!tenant) throw new Error('no customer A')
const anyDate = { from: undefined, to: undefined }

function read(url: string): object | undefined {
  const { pathname, searchParams } = new URL(url, 'http://host')
  const [, , , id = '', list] = pathname.split('/')
  const account = store.accounts.get(tenant?.seq ?? 0, searchParams.get('client_id') ?? '', id)
  if (account === undefined || list === undefined) return account
  const limit = Number(searchParams.get('limit') ?? 100)
  const data = store.transactions.list(account.seq, anyDate, { after: undefined, limit: limit + 1 })
  return { data, has_more: data.length > limit }
}

const server = createServer((request, response) => {
  const found = read(request.url ?? '')
  const body = JSON.stringify(found ?? {})
  response.writeHead(found === undefined ? 404 : 200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
})
