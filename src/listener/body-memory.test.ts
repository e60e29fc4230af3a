import { expect, test } from 'vitest'
import { BodyMemory } from './body-memory.ts'

/** Holders that note their name when they had to give way. */
function memoryOf(bytes: number) {
  const memory = new BodyMemory(bytes)
  const dropped: string[] = []
  return { dropped, hold: (name: string) => memory.hold(() => dropped.push(name)) }
}

test('what has been arriving longest gives way, until there is room', () => {
  const { dropped, hold } = memoryOf(100)
  const [first, second, third] = [hold('first'), hold('second'), hold('third')]
  expect(second.take(40)).toBe(true)
  expect(first.take(40)).toBe(true)
  expect(third.take(20)).toBe(true)
  expect(dropped).toEqual([])
  expect(third.take(1)).toBe(true)
  expect(dropped).toEqual(['second'])
  expect(third.take(79)).toBe(true)
  expect(dropped).toEqual(['second', 'first'])
})

test('one that is complete keeps its bytes; one that has none yet does not give way', () => {
  const { dropped, hold } = memoryOf(100)
  const [complete, empty, arriving] = [hold('complete'), hold('empty'), hold('arriving')]
  complete.take(60)
  complete.arrived()
  expect(arriving.take(41)).toBe(false)
  expect(arriving.take(40)).toBe(true)
  expect(empty.take(1)).toBe(true)
  expect(dropped).toEqual(['arriving'])
})

test('one that needs more than there is gets none, and does not give way to itself', () => {
  const { dropped, hold } = memoryOf(100)
  const only = hold('only')
  expect(only.take(100)).toBe(true)
  expect(only.take(1)).toBe(false)
  expect(dropped).toEqual([])
})

test('what was released, once or twice, can be taken again, and does not give way any more', () => {
  const { dropped, hold } = memoryOf(100)
  const gone = hold('gone')
  gone.take(100)
  gone.release()
  gone.release()
  const next = hold('next')
  expect(next.take(100)).toBe(true)
  expect(hold('another').take(101)).toBe(false)
  expect(dropped).toEqual(['next'])
})

test('by default there are 32 MiB', () => {
  const memory = new BodyMemory()
  const held = memory.hold(() => undefined)
  expect(held.take(32 * 1024 * 1024)).toBe(true)
  expect(held.take(1)).toBe(false)
})
