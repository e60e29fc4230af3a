import type { Dispatcher } from 'undici'
import { expect, test, vi } from 'vitest'
import { usedMemory } from '../../test/support/used-memory.ts'
import { BodyMemory } from './body-memory.ts'
import { Exchange, Overloaded, TooLarge } from './exchange.ts'

test('an answer in chunks of one byte takes memory by its bytes', async () => {
  const exchange = new Exchange({ maxBytes: 1_000_000, memory: new BodyMemory() })
  const controller = {} as Dispatcher.DispatchController
  const before = usedMemory()
  for (let at = 0; at < 300_000; at++) exchange.onResponseData(controller, new Uint8Array(1))
  expect(usedMemory() - before).toBeLessThan(10)
  exchange.onResponseEnd()
  expect((await exchange.reply).body.byteLength).toBe(300_000)
})

function begun({ maxBytes = 100, memory = new BodyMemory(), rawHeaders = [] as unknown } = {}) {
  const exchange = new Exchange({ maxBytes, memory })
  const controller = { abort: vi.fn(), pause: vi.fn(), resume: vi.fn(), rawHeaders }
  const asUndici = controller as unknown as Dispatcher.DispatchController
  exchange.onRequestStart(asUndici)
  exchange.onResponseStart(asUndici, 200)
  const data = (bytes: number) => exchange.onResponseData(asUndici, new Uint8Array(bytes))
  const reply = exchange.reply
  reply.catch(() => undefined)
  return { exchange, controller, asUndici, data, reply }
}

test('headers are text, whether they come as bytes or as text; without any there are none', async () => {
  const mixed = begun({ rawHeaders: [Buffer.from('X-A'), Buffer.from([0xe9]), 'X-B', '2'] })
  mixed.exchange.onResponseEnd()
  expect((await mixed.reply).headers).toEqual([
    ['X-A', '\u00e9'],
    ['X-B', '2'],
  ])
  const none = begun({ rawHeaders: null })
  none.exchange.onResponseEnd()
  expect((await none.reply).headers).toEqual([])
})

test('an answer in very many chunks is paused until it is its turn', async () => {
  const { controller, data } = begun({ maxBytes: 10_000 })
  for (let chunks = 0; chunks < 999; chunks++) data(1)
  expect(controller.pause).not.toHaveBeenCalled()
  data(1)
  expect(controller.pause).toHaveBeenCalledOnce()
  await expect.poll(() => controller.resume.mock.calls.length).toBe(1)
})

test('one byte too many ends it, and what comes after that takes no memory', async () => {
  const memory = new BodyMemory(1000)
  const { controller, data, reply } = begun({ memory })
  data(100)
  data(1)
  await expect(reply).rejects.toBeInstanceOf(TooLarge)
  expect(controller.abort).toHaveBeenCalledOnce()
  data(1)
  expect(controller.abort).toHaveBeenCalledOnce()
  expect(memory.hold(() => undefined).take(1000)).toBe(true)
})

test('one for which there is no memory is overloaded', async () => {
  const { controller, data, reply } = begun({ memory: new BodyMemory(50) })
  data(51)
  await expect(reply).rejects.toBeInstanceOf(Overloaded)
  expect(controller.abort).toHaveBeenCalledOnce()
})

test('ended before it began it is over at once, and aborted when it begins', async () => {
  const exchange = new Exchange({ maxBytes: 1, memory: new BodyMemory() })
  const reason = new Error('no time')
  exchange.end(reason)
  await expect(exchange.reply).rejects.toBe(reason)
  const abort = vi.fn()
  exchange.onRequestStart({ abort } as unknown as Dispatcher.DispatchController)
  expect(abort).toHaveBeenCalledWith(reason)
})

test.each<[string, (exchange: Exchange) => void]>([
  ['complete', (exchange) => exchange.onResponseEnd()],
  ['cut by its target', (exchange) => exchange.onResponseError({} as never, new Error('reset'))],
  ['ended', (exchange) => exchange.end(new Error('no time'))],
])('an answer that is %s gives its memory back by itself, not only when another needs it', (_, end) => {
  const given = vi.fn()
  class Watched extends BodyMemory {
    override hold(onDropped: () => void) {
      const held = super.hold(onDropped)
      const release = () => {
        given()
        held.release()
      }
      return { ...held, release }
    }
  }
  const { exchange, data } = begun({ memory: new Watched(100) })
  data(50)
  expect(given).not.toHaveBeenCalled()
  end(exchange)
  expect(given).toHaveBeenCalledOnce()
})
