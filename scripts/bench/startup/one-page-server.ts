/** A server that answers every request with the same page of Clients. Prints its base URL. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const client = (id: number) => ({
  id: `cli_${id}`,
  email: `${id}@mail.example`,
  name: `Client ${id}`,
  external_id: null,
})
const body = JSON.stringify({
  data: Array.from({ length: 25 }, (_, index) => client(index)),
  next_cursor: null,
  has_more: false,
})

const server = createServer((request, response) => {
  request.resume()
  response.writeHead(200, { 'Content-Type': 'application/json', 'X-LS-Trace-Id': 'bench' })
  response.end(body)
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v3\n`)
})
