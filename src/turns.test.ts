import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { requestInTurns } from './turns.ts'

test('of bodies in many chunks, one is read in each turn of the event loop, and all to their end', async () => {
  const bodies = 4
  const chunks = 200_000
  let read = 0
  let ended = 0
  const server = createServer((request, response) => {
    const count = requestInTurns(request)
    request.on('data', () => {
      count()
      read++
    })
    request.on('end', () => {
      ended++
      response.end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const head = 'POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n'
  for (let at = 0; at < bodies; at++) {
    const socket = connect(port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
    socket.write(head)
    // Two requests on one connection: the second is read as well.
    socket.write(`${'1\r\nx\r\n'.repeat(chunks)}0\r\n\r\n${head}0\r\n\r\n`)
  }
  const turns: number[] = []
  while (ended < 2 * bodies) {
    const before = read
    await new Promise(setImmediate)
    turns.push(read - before)
  }
  expect(read).toBe(bodies * chunks)
  // A socket is read 64 KiB at a time, which is 10,922 of these. In the first turns each is read once.
  const large = turns.toSorted((a, b) => b - a)
  expect(large[bodies]).toBeLessThanOrEqual(2 * 10_923)
})
