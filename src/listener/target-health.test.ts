import { createServer, type Server } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { deadPort } from '../../test/api/servers.ts'
import { createTargetHealth } from './target-health.ts'

function watched(urls: readonly string[], everyMs = 200) {
  const changes: string[] = []
  const health = createTargetHealth({
    urls,
    everyMs,
    onChange: (url, up, error) => changes.push(`${url} ${up ? 'up' : 'down'} ${error}`.trim()),
  })
  onTestFinished(() => health.stop())
  return { health, changes }
}

async function listenOn(port: number): Promise<Server> {
  const server = createServer((socket) => socket.destroy())
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return server
}

test('a target that refuses connections is told once, and once more when it is up again', async () => {
  const port = await deadPort()
  const origin = `http://127.0.0.1:${port}`
  const { health, changes } = watched([`${origin}/a`, `${origin}/b`])
  health.start()
  await expect.poll(() => changes).toEqual([`${origin} down ECONNREFUSED`])
  await listenOn(port)
  await expect.poll(() => changes).toEqual([`${origin} down ECONNREFUSED`, `${origin} up`])
})

test('of a target that is up nothing is told, nor of one that nobody has asked for yet', async () => {
  const port = await deadPort()
  const server = await listenOn(port)
  const connected = new Promise((resolve) => server.once('connection', resolve))
  const { health, changes } = watched([`http://127.0.0.1:${port}`])
  health.start()
  await connected
  health.seen(`http://127.0.0.1:${port}/x`, undefined)
  expect(changes).toEqual([])
})

test('a forward that could not connect, or was answered, is news of its origin only when it changes', async () => {
  const { health, changes } = watched([], 60_000)
  health.seen('http://a.test/1', 'nothing listens there')
  health.seen('http://a.test/2', 'nothing listens there')
  health.seen('https://a.test/', undefined)
  health.seen('http://a.test/3', undefined)
  health.seen('http://a.test/3', undefined)
  health.seen('http://a.test/3', '')
  expect(changes).toEqual([
    'http://a.test down nothing listens there',
    'http://a.test up',
    'http://a.test down',
  ])
})

test('an address of IPv6 is reached without its brackets', async () => {
  const server = createServer((socket) => socket.destroy())
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve) => server.listen(0, '::1', resolve))
  const address = server.address() as { port: number }
  const connected = new Promise((resolve) => server.once('connection', resolve))
  const { health, changes } = watched([`http://[::1]:${address.port}`])
  health.start()
  await connected
  expect(changes).toEqual([])
})

test('once it is stopped it neither looks nor tells', () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const { health, changes } = watched([])
  health.seen('http://a.test', 'nothing listens there')
  health.seen('http://b.test', 'nothing listens there')
  health.seen('http://b.test', undefined)
  expect(vi.getTimerCount()).toBe(1)
  health.stop()
  expect(vi.getTimerCount()).toBe(0)
  health.seen('http://a.test', undefined)
  health.seen('http://c.test', 'nothing listens there')
  expect(vi.getTimerCount()).toBe(0)
  expect(changes).toHaveLength(3)
})
