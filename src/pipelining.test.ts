import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { limitPipelining } from './pipelining.ts'

const request = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'

/** A server that leaves its requests unanswered, and a connection to it. */
async function connected() {
  const handled: ServerResponse[] = []
  const server = createServer(limitPipelining((_request, response) => handled.push(response)))
  let parsed = 0
  server.on('request', () => parsed++)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.on('error', () => undefined)
  onTestFinished(() => {
    socket.destroy()
    server.closeAllConnections()
    server.close()
  })
  socket.resume()
  return { socket, handled, parsed: () => parsed }
}

test('four requests of a connection may wait for their answer; with a fifth it is closed', async () => {
  const { socket, handled } = await connected()
  socket.write(request.repeat(4))
  await expect.poll(() => handled.length).toBe(4)
  for (const response of handled) response.end()
  // They are answered, so four more may come.
  await expect.poll(() => handled.every((response) => response.closed)).toBe(true)
  socket.write(request.repeat(4))
  await expect.poll(() => handled.length).toBe(8)
  expect(socket.closed).toBe(false)
  socket.write(request)
  await once(socket, 'close')
  expect(handled).toHaveLength(8)
})

test('of many requests in one piece, Node parses none after the one that was too many', async () => {
  const { socket, handled, parsed } = await connected()
  socket.write(request.repeat(1000))
  await once(socket, 'close')
  expect(handled).toHaveLength(4)
  // All of them, if this version of Node no longer has what the parser is stopped by.
  expect(parsed()).toBe(5)
})
