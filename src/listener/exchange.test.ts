import type { Dispatcher } from 'undici'
import { expect, test } from 'vitest'
import { usedMemory } from '../../test/support/used-memory.ts'
import { BodyMemory } from './body-memory.ts'
import { Exchange } from './exchange.ts'

test('an answer in chunks of one byte takes memory by its bytes', async () => {
  const exchange = new Exchange({ maxBytes: 1_000_000, memory: new BodyMemory() })
  const controller = {} as Dispatcher.DispatchController
  const before = usedMemory()
  for (let at = 0; at < 300_000; at++) exchange.onResponseData(controller, new Uint8Array(1))
  expect(usedMemory() - before).toBeLessThan(10)
  exchange.onResponseEnd()
  expect((await exchange.reply).body.byteLength).toBe(300_000)
})
