import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { type AddressInfo, connect, createServer as createSocketServer } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { deliver, startTestListener, type TestListener } from '../support/test-listener.ts'

let here: TestListener

afterEach(() => here.stop())

test('whatever bytes the target answers, the sender gets exactly those, and the inbox their beginning', async () => {
  const answers = [0, 1, 300, 4095, 4096, 4097, 20_000, 300_000].map((size) => randomBytes(size))
  const target = createServer((request, response) => {
    request.resume()
    response.end(answers[Number(request.url?.slice(1))])
  })
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve))
  here = await startTestListener({
    forward: [{ url: `http://127.0.0.1:${(target.address() as AddressInfo).port}` }],
  })
  for (const [at, bytes] of answers.entries()) {
    const response = await deliver(`${here.url}${at}`)
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes), `${bytes.length} bytes`).toBe(true)
    const kept = here.inbox.deliveries.list().at(-1)?.forwards[0]?.body ?? new Uint8Array()
    expect(Buffer.from(kept).equals(bytes.subarray(0, 16 * 1024))).toBe(true)
  }
  target.close()
  target.closeAllConnections()
})

test('a target that accepts no connection and refuses none is 504 in time', async () => {
  // One place in the queue, taken: further connections get no answer at all.
  const full = createSocketServer()
  await new Promise<void>((resolve) => full.listen({ port: 0, host: '127.0.0.1', backlog: 0 }, resolve))
  const { port } = full.address() as AddressInfo
  const waiting = Array.from({ length: 4 }, () => connect(port, '127.0.0.1').on('error', () => undefined))
  here = await startTestListener({
    forward: [{ url: `http://127.0.0.1:${port}` }],
    forwardTimeoutMs: 400,
  })
  const started = performance.now()
  expect((await deliver(here.url)).status).toBe(504)
  expect(performance.now() - started).toBeLessThan(5000)
  for (const socket of waiting) socket.destroy()
  full.close()
})
