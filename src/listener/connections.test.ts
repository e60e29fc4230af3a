import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { usedMemory } from '../../test/support/used-memory.ts'
import { Connections, sourceOf } from './connections.ts'

class FakeSocket extends EventEmitter {
  readonly remoteAddress: string
  writableLength = 0
  destroyed = false

  constructor(remoteAddress: string) {
    super()
    this.remoteAddress = remoteAddress
  }

  destroy(): void {
    if (this.destroyed) return
    this.destroyed = true
    this.emit('close')
  }
}

function open(connections: Connections, address = '127.0.0.1') {
  const fake = new FakeSocket(address)
  const socket = fake as unknown as Socket
  connections.add(socket)
  return { socket, fake }
}

test('when all are taken, the one that has waited longest makes room', () => {
  const connections = new Connections({ max: 3 })
  const [first, second, third] = [open(connections), open(connections), open(connections)]
  // It was the oldest, and is younger than the others once it was answered.
  connections.arrived(first.socket)
  connections.answered(first.socket)
  const fourth = open(connections)
  expect([first, second, third, fourth].map(({ fake }) => fake.destroyed)).toEqual([
    false,
    true,
    false,
    false,
  ])
})

test('one whose delivery is being handled stays, and a new one is refused when all are', () => {
  const connections = new Connections({ max: 2 })
  const [first, second] = [open(connections), open(connections)]
  // Two requests on one connection: the first answer does not make it wait yet.
  connections.arrived(first.socket)
  connections.arrived(first.socket)
  connections.answered(first.socket)
  connections.arrived(second.socket)
  const third = open(connections)
  expect([first, second, third].map(({ fake }) => fake.destroyed)).toEqual([false, false, true])
  second.fake.destroy()
  expect(open(connections).fake.destroyed).toBe(false)
})

test('an address has its share, and only its own connections make room for it', () => {
  const connections = new Connections({ max: 10, maxPerAddress: 2 })
  const genuine = open(connections, '192.0.2.1')
  const flood = Array.from({ length: 20 }, () => open(connections, '::ffff:192.0.2.66'))
  expect(genuine.fake.destroyed).toBe(false)
  expect(flood.filter(({ fake }) => !fake.destroyed)).toEqual(flood.slice(-2))
  for (const { fake } of flood) fake.destroy()
  expect(open(connections, '192.0.2.66').fake.destroyed).toBe(false)
})

test('loopback and trusted proxies are not limited as one sender', () => {
  const connections = new Connections({
    max: 100,
    maxPerAddress: 2,
    trustedProxies: ['198.51.100.7', '2001:DB8::1'],
  })
  for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1', '198.51.100.7', '2001:db8::1']) {
    const opened = Array.from({ length: 5 }, () => open(connections, address))
    expect(
      opened.filter(({ fake }) => fake.destroyed),
      address,
    ).toEqual([])
  }
})

test('of IPv6, a network of 64 bits is one address', () => {
  expect(sourceOf('2001:db8::1')).toBe(sourceOf('2001:0DB8:0:0:ffff::2'.replace('0DB8', 'db8')))
  expect(sourceOf('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64')
  expect(sourceOf('2001:db8:0:1::1')).not.toBe(sourceOf('2001:db8::1'))
  expect(sourceOf('::1')).toBe('::1')
  expect(sourceOf('::ffff:192.0.2.1')).toBe('192.0.2.1')
})

test('draining closes what waits, and ends when the last delivery is answered', async () => {
  const connections = new Connections()
  const [idle, busy, leaving] = [open(connections), open(connections), open(connections)]
  connections.arrived(busy.socket)
  leaving.fake.writableLength = 1
  let drained = false
  const done = connections.drain().then(() => {
    drained = true
  })
  expect([idle, busy, leaving].map(({ fake }) => fake.destroyed)).toEqual([true, false, false])
  await new Promise(setImmediate)
  expect(drained).toBe(false)
  connections.answered(busy.socket)
  await done
})

test.each([
  ['2001:DB8::1', '2001:db8:0:0::/64'],
  ['1:2:3:4:5:6:7:8', '1:2:3:4::/64'],
  ['1:2:3::', '1:2:3:0::/64'],
  ['1::2:3:4:5:6:7', '1:0:2:3::/64'],
  ['::2:3:4:5:6:7:8', '0:2:3:4::/64'],
  ['::ffff:c000:201', '0:0:0:0::/64'],
  ['fe80::ffff:192.0.2.1', 'fe80:0:0:0::/64'],
  ['::FFFF:192.0.2.1', '192.0.2.1'],
  ['', ''],
])('the address %j counts as %j', (address, source) => {
  expect(sourceOf(address)).toBe(source)
})

test('2000 connections are taken in all, and 250 of one address', () => {
  const connections = new Connections()
  const local = Array.from({ length: 2000 }, () => open(connections))
  expect(local.filter(({ fake }) => fake.destroyed)).toEqual([])
  open(connections)
  expect(local.filter(({ fake }) => fake.destroyed)).toEqual(local.slice(0, 1))

  const others = new Connections()
  const flood = Array.from({ length: 251 }, () => open(others, '192.0.2.1'))
  expect(flood.filter(({ fake }) => fake.destroyed)).toEqual(flood.slice(0, 1))
})

test('127.1.2.3 is loopback as well, 12.7.0.1 and 1::127 are not', () => {
  for (const [address, destroyed] of [
    ['127.1.2.3', false],
    ['12.7.0.1', true],
    ['1::127', true],
  ] as const) {
    const connections = new Connections({ maxPerAddress: 1 })
    const first = open(connections, address)
    open(connections, address)
    expect(first.fake.destroyed, address).toBe(destroyed)
  }
})

test('when every delivery of an address is being handled its next connection is refused, and the others stay', () => {
  const connections = new Connections({ max: 10, maxPerAddress: 2 })
  const other = open(connections, '192.0.2.1')
  const handled = [open(connections, '192.0.2.66'), open(connections, '192.0.2.66')]
  for (const { socket } of handled) connections.arrived(socket)
  const third = open(connections, '192.0.2.66')
  expect([other, ...handled, third].map(({ fake }) => fake.destroyed)).toEqual([false, false, false, true])
  for (const { socket } of handled.slice(0, 1)) connections.answered(socket)
  expect(open(connections, '192.0.2.66').fake.destroyed).toBe(false)
  expect([other, ...handled].map(({ fake }) => fake.destroyed)).toEqual([false, true, false])
})

test('a connection that ended makes room in its share and in all, without another being closed', () => {
  const connections = new Connections({ max: 2, maxPerAddress: 2 })
  const [first, second] = [open(connections, '192.0.2.1'), open(connections, '192.0.2.1')]
  second.fake.destroy()
  open(connections, '192.0.2.1')
  expect(first.fake.destroyed).toBe(false)
  // One that ends while its delivery is handled is not taken for waiting when that is answered.
  connections.arrived(first.socket)
  first.fake.destroy()
  connections.answered(first.socket)
  const [third, fourth] = [open(connections), open(connections)]
  expect([third, fourth].map(({ fake }) => fake.destroyed)).toEqual([false, false])
})

test('without a delivery draining ends at once; with several, at the answer to the last', async () => {
  await new Connections().drain()
  const connections = new Connections()
  const [first, second] = [open(connections), open(connections)]
  connections.arrived(first.socket)
  connections.arrived(second.socket)
  let drained = false
  const done = connections.drain().then(() => {
    drained = true
  })
  connections.answered(first.socket)
  await new Promise(setImmediate)
  expect(drained).toBe(false)
  connections.answered(second.socket)
  await done
})

test('while one of its connections is open, the share of an address goes on counting', () => {
  const connections = new Connections({ max: 10, maxPerAddress: 2 })
  const [first, second] = [open(connections, '192.0.2.1'), open(connections, '192.0.2.1')]
  first.fake.destroy()
  const [third, fourth] = [open(connections, '192.0.2.1'), open(connections, '192.0.2.1')]
  expect([second, third, fourth].map(({ fake }) => fake.destroyed)).toEqual([true, false, false])
})

test('an address that has no connection any more takes no memory', () => {
  const connections = new Connections()
  const before = usedMemory()
  for (let at = 0; at < 50_000; at++)
    open(connections, `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`).fake.destroy()
  expect(usedMemory() - before).toBeLessThan(3)
  open(connections)
})

test('a delivery counts until it is answered, even when its connection was closed as it arrived', async () => {
  const connections = new Connections()
  const { socket, fake } = open(connections)
  fake.destroy()
  connections.arrived(socket)
  let drained = false
  const done = connections.drain().then(() => {
    drained = true
  })
  await new Promise(setImmediate)
  expect(drained).toBe(false)
  connections.answered(socket)
  await done
})
