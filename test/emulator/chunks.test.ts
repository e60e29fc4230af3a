import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, onTestFinished, test } from 'vitest'
import { maxBodies } from '../../src/emulator/server/request.ts'
import { runningEmulator, type TestEmulator } from '../support/running-emulator.ts'

const megabyte = 1024 * 1024

/** A request whose body follows in chunks; resolves to the first line of the answer. */
function request(emulator: TestEmulator, head: string, { method = 'POST', connection = 'close' } = {}) {
  const { api_key, base_url } = emulator.sandbox
  const socket = connect(Number(new URL(base_url).port), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => undefined)
  let text = ''
  const answered = new Promise<string>((resolve) => {
    socket.on('data', (data) => {
      text += data
    })
    socket.on('close', () => resolve(text))
  })
  socket.write(
    `${method} /v3${head}\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${api_key}\r\nConnection: ${connection}\r\n` +
      'Transfer-Encoding: chunked\r\n\r\n',
  )
  return { socket, answered }
}

/** Sends bytes as chunks of one byte each, no faster than they are taken. */
async function drip(socket: Socket, bytes: Buffer): Promise<void> {
  const piece = 16_384
  for (let at = 0; at < bytes.length && !socket.destroyed; at += piece) {
    const chunks = [...bytes.subarray(at, at + piece)].map((byte) => `1\r\n${String.fromCharCode(byte)}\r\n`)
    if (socket.write(chunks.join(''), 'latin1')) continue
    await new Promise<void>((resolve) => {
      socket.once('drain', resolve)
      socket.once('close', resolve)
    })
  }
}

/** While other requests are answered, it reads what is left in the buffers of sockets. */
async function readBuffered(emulator: TestEmulator): Promise<void> {
  for (let count = 0; count < 100; count += 1) await emulator.get('/health')
}

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Bytes in use after a garbage collection. */
function memory(): number {
  collectGarbage()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

const before = memory()

describe('a body in chunks of one byte', () => {
  test.each([
    ['JSON', '/clients HTTP/1.1\r\nContent-Type: application/json', `{"name":"${'x'.repeat(600_000)}"}`, 201],
    [
      'an upload',
      '/statements/extract HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=b',
      `--b\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n%PDF-1.7${'x'.repeat(600_000)}\r\n--b--\r\n`,
      202,
    ],
  ])('costs memory by its bytes: %s', async (_what, head, body, status) => {
    const emulator = await runningEmulator()
    const { socket, answered } = request(emulator, head)
    await drip(socket, Buffer.from(body, 'latin1'))
    await readBuffered(emulator)
    expect(memory() - before).toBeLessThan(64 * megabyte)
    socket.write('0\r\n\r\n')
    expect(await answered).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  })

  test.each([
    ['POST', '/clients', 415],
    // Answered before its body has arrived, which nobody reads.
    ['GET', '/health', 200],
  ])(
    'many of them at once are read in turns, others are answered in between: %s %s',
    async (method, path, status) => {
      const emulator = await runningEmulator()
      const head = `${path} HTTP/1.1`
      const last = 'GET /v3/health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n'
      const bodies = Array.from({ length: 10 }, () => {
        return request(emulator, head, { method, connection: 'keep-alive' })
      })
      let read = 0
      for (const { socket, answered } of bodies) {
        socket.write(`${'1\r\nx\r\n'.repeat(60_000)}0\r\n\r\n${last}`)
        void answered.then(() => read++)
      }
      for (let count = 0; count < 20; count += 1) await emulator.get('/health')
      expect(read).toBe(0)
      for (const { answered } of bodies) expect(await answered).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    },
  )

  test("a receiver's endless answer is neither read to its end nor kept", async () => {
    const emulator = await runningEmulator()
    const server = createServer((incoming, response) => {
      incoming.resume()
      const send = () => {
        while (!response.destroyed && response.write('x'));
      }
      response.on('drain', send)
      send()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const { id } = await emulator.post('/webhooks/subscriptions', { url, event_types: ['webhook.test'] })
    await emulator.post(`/webhooks/subscriptions/${id}/test`)
    await emulator.advance(0)
    expect(memory() - before).toBeLessThan(64 * megabyte)
    expect(emulator.status().deliveries.delivered).toBe(1)
  })
})

test('bodies in flight have a bound over all of them: 503 with Retry-After, until one is answered', async () => {
  const emulator = await runningEmulator()
  const uploads = '/statements/extract HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=b'
  const chunk = Buffer.alloc(megabyte, 'x')
  const size = 24
  const filling = async (megabytes = size) => {
    const { socket, answered } = request(emulator, uploads)
    for (let count = 0; count < megabytes; count += 1) {
      socket.write(`${chunk.length.toString(16)}\r\n`)
      await new Promise((resolve) => socket.write(chunk, resolve))
      socket.write('\r\n')
    }
    return { socket, answered }
  }
  const held = [await filling(), await filling(), await filling(maxBodies / megabyte - 2 * size)]
  // One byte more: of a connection that is closed while many are arriving, the answer may be lost.
  await readBuffered(emulator)
  const { socket: last, answered: lastAnswer } = request(emulator, uploads)
  last.write('1\r\nx\r\n')
  const refused = await lastAnswer
  expect(refused).toMatch(/^HTTP\/1.1 503 /)
  expect(refused).toMatch(/^retry-after: 1\r$/im)
  for (const { socket } of held) socket.destroy()
  await expect.poll(async () => (await emulator.call('POST', '/clients', { body: {} })).status).toBe(201)
  const { socket, answered } = await filling()
  socket.write('0\r\n\r\n')
  expect(await answered).toMatch(/^HTTP\/1.1 400 /)
})
