import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { usedMemory } from '../../test/support/used-memory.ts'
import { collect, TooLarge } from './body.ts'

test('an answer in chunks of one byte takes memory by its bytes', async () => {
  const before = usedMemory()
  let most = 0
  const body = Readable.from(
    (function* () {
      for (let at = 0; at < 300_000; at++) yield new Uint8Array([0x78])
      most = usedMemory() - before
    })(),
    { objectMode: false },
  )
  expect(Buffer.from(await collect(body, undefined, 1_000_000)).toString()).toBe('x'.repeat(300_000))
  expect(most).toBeLessThan(10)
})

test('one chunk, several, none: the bytes as they came, up to the limit', async () => {
  const read = async (...chunks: string[]) =>
    Buffer.from(
      await collect(
        Readable.from(
          chunks.map((chunk) => Buffer.from(chunk)),
          { objectMode: false },
        ),
        undefined,
        4,
      ),
    ).toString()
  expect(await read('abcd')).toBe('abcd')
  expect(await read('ab', 'c', 'd')).toBe('abcd')
  expect(await read()).toBe('')
  await expect(read('abcde')).rejects.toThrow(TooLarge)
  await expect(read('ab', 'cde')).rejects.toThrow(TooLarge)
})
