import { createServer } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createListener } from '../../src/listener/listener.ts'
import { type PythonReceiver, startPythonReceiver } from '../support/python-receiver.ts'
import { deliver, secret, startTestListener, type TestListener } from '../support/test-listener.ts'

let receiver: PythonReceiver
let here: TestListener

beforeEach(async () => {
  receiver = await startPythonReceiver(secret, '--delay', '0.5')
  here = await startTestListener({ forward: [{ url: receiver.url }] })
})

afterEach(async () => {
  await here.stop()
  await receiver.stop()
})

test('ready comes first, with the address', () => {
  expect(here.events[0]).toMatchObject({
    kind: 'ready',
    url: `http://127.0.0.1:${here.port}/`,
    targets: [receiver.url],
  })
})

test('closing waits for forwards under way, and accepts nothing more', async () => {
  const answer = deliver(here.url)
  await expect.poll(() => receiver.received.length).toBe(1)
  const closed = here.listener.close()
  await expect(deliver(here.url)).rejects.toThrow()
  expect((await answer).status).toBe(200)
  await closed
  expect(here.events.at(-1)).toMatchObject({ kind: 'closed', forced: false })
  expect(here.inbox.deliveries.list()[0]?.forwards).toMatchObject([{ status: 200 }])
})

test('a second close ends at once, and what it cut is known as failed', async () => {
  const answer = deliver(here.url).then(
    ({ status }) => status,
    () => 'cut',
  )
  await expect.poll(() => receiver.received.length).toBe(1)
  const first = here.listener.close()
  const started = performance.now()
  await here.listener.close()
  await first
  expect(performance.now() - started).toBeLessThan(400)
  expect([503, 'cut']).toContain(await answer)
  expect(here.inbox.deliveries.list({ failed: true })).toMatchObject([
    { forwards: [{ error: expect.stringContaining('ended') }] },
  ])
})

test('ended by force is never answered 200, not even with ack', async () => {
  const other = await startTestListener({ forward: [{ url: receiver.url }], ack: true })
  const answer = deliver(other.url).then(
    ({ status }) => status,
    () => 'cut',
  )
  await expect.poll(() => receiver.received.length).toBe(1)
  await other.listener.close({ force: true })
  expect([503, 'cut']).toContain(await answer)
  await expect
    .poll(() => other.of('settled'))
    .toMatchObject([{ answered: 503, forward: { failure: 'aborted' } }])
  await other.stop()
})

test('closing does not wait for idle sockets', async () => {
  const { connect } = await import('node:net')
  const socket = connect(here.port, '127.0.0.1')
  socket.on('error', () => undefined)
  await deliver(here.url)
  const started = performance.now()
  await here.listener.close()
  expect(performance.now() - started).toBeLessThan(400)
  socket.destroy()
})

test('closing does not wait for requests that have not arrived, and still for what is being forwarded', async () => {
  const { connect } = await import('node:net')
  const head = 'POST / HTTP/1.1\r\nHost: localhost\r\n'
  for (const start of [
    'POST /',
    `${head}Content-Length: 10\r\n\r\nabc`,
    `${head}Transfer-Encoding: chunked\r\n\r\n`,
  ]) {
    const socket = connect(here.port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write(start)
  }
  const answer = deliver(here.url)
  await expect.poll(() => receiver.received.length).toBe(1)
  const started = performance.now()
  await here.listener.close()
  expect(performance.now() - started).toBeLessThan(2000)
  expect((await answer).status).toBe(200)
  expect(here.events.at(-1)).toMatchObject({ kind: 'closed', forced: false })
})

test('a port in use is the system’s error', async () => {
  const busy = createServer()
  await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve))
  const { port } = busy.address() as { port: number }
  const listener = createListener({
    environment: 'local',
    inbox: here.inbox,
    secrets: async () => [secret],
    clock: { now: Date.now },
    port,
  })
  await expect(listener.start()).rejects.toMatchObject({ code: 'EADDRINUSE' })
  await listener.close()
  busy.close()
})
