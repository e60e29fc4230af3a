import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { inOrder } from './in-order.ts'

async function* each<T>(items: Iterable<T>): AsyncGenerator<T> {
  yield* items
}

async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const one of source) all.push(one)
  return all
}

/** Sources of so many batches, each of which takes a few turns of the event loop: more for earlier sources. */
function sources(counts: readonly number[]) {
  const seen = { open: 0, mostOpen: 0, read: 0, mostHeld: 0, yielded: 0 }
  async function* open(at: number) {
    seen.open += 1
    seen.mostOpen = Math.max(seen.mostOpen, seen.open)
    try {
      for (let batch = 0; batch < (counts[at] ?? 0); batch++) {
        for (let turn = 0; turn <= 3 - (at % 4); turn++) await setImmediate()
        seen.read += 1
        seen.mostHeld = Math.max(seen.mostHeld, seen.read - seen.yielded)
        yield { at, batch }
      }
    } finally {
      seen.open -= 1
    }
  }
  return { seen, open }
}

test('batches come in the order of the items, although later items are read at the same time', async () => {
  const counts = [3, 0, 1, 5, 0, 0, 2, 1]
  const { seen, open } = sources(counts)
  const rows = await collect(inOrder(each(counts.keys()), open, { ahead: 3 }))
  expect(rows).toEqual(
    counts.flatMap((count, at) => Array.from({ length: count }, (_, batch) => ({ at, batch }))),
  )
  expect(seen.mostOpen).toBe(3)
  expect(seen.open).toBe(0)
})

test('what is read ahead is bounded, however long the sources are and however slow the reader is', async () => {
  const { seen, open } = sources([200, 200, 200, 200])
  for await (const _ of inOrder(each([0, 1, 2, 3]), open, { ahead: 4 })) {
    seen.yielded += 1
    for (let turn = 0; turn < 20; turn++) await setImmediate()
  }
  expect(seen.yielded).toBe(800)
  // As many as are open, one for the first source, and the one in the hands of the reader.
  expect(seen.mostHeld).toBeLessThanOrEqual(4 + 2)
  expect(seen.mostHeld).toBeGreaterThan(2)
})

test('whatever the sources and their pace, everything comes, in order', async () => {
  let state = 1
  const random = (below: number) => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
  for (let round = 0; round < 60; round++) {
    const counts = Array.from({ length: 1 + random(12) }, () => random(3) * random(12))
    async function* open(at: number) {
      for (let batch = 0; batch < (counts[at] ?? 0); batch++) {
        for (let turns = random(4); turns > 0; turns--) await setImmediate()
        yield { at, batch }
      }
    }
    const rows: unknown[] = []
    for await (const row of inOrder(each(counts.keys()), open, { ahead: 1 + random(4) })) {
      rows.push(row)
      for (let turns = random(3); turns > 0; turns--) await setImmediate()
    }
    expect(rows).toEqual(
      counts.flatMap((count, at) => Array.from({ length: count }, (_, batch) => ({ at, batch }))),
    )
  }
})

test('while the first source is slow, sources that end at once are opened up to a bound', async () => {
  let opened = 0
  async function* open(at: number) {
    opened += 1
    if (at > 0) return
    for (let turn = 0; turn < 200; turn++) await setImmediate()
    yield { opened }
  }
  const [first] = await collect(inOrder(each(Array(1000).keys()), open, { ahead: 3 }))
  expect(first?.opened).toBeLessThanOrEqual(12)
  expect(opened).toBe(1000)
})

test('an error comes in its turn, after the batches before it', async () => {
  async function* open(at: number) {
    if (at === 2) throw new Error('refused')
    for (let turn = 0; turn < 5; turn++) await setImmediate()
    yield at === 1 ? { at: 1 } : { at }
  }
  const rows: unknown[] = []
  const reading = async () => {
    for await (const row of inOrder(each([0, 1, 2, 3]), open, { ahead: 4 })) rows.push(row)
  }
  await expect(reading()).rejects.toThrow('refused')
  expect(rows).toEqual([{ at: 0 }, { at: 1 }])

  const skipped: number[] = []
  const rest = await collect(
    inOrder(each([0, 1, 2, 3]), open, { ahead: 4, onError: (at) => void skipped.push(at) }),
  )
  expect(rest).toEqual([{ at: 0 }, { at: 1 }, { at: 3 }])
  expect(skipped).toEqual([2])
})

test('an error of the items themselves comes after the items before it', async () => {
  async function* items() {
    yield 1
    throw new Error('no more items')
  }
  const { open } = sources([0, 2])
  const rows: unknown[] = []
  const reading = async () => {
    for await (const row of inOrder(items(), open, { ahead: 4 })) rows.push(row)
  }
  await expect(reading()).rejects.toThrow('no more items')
  expect(rows).toHaveLength(2)
})

test('a reader that leaves closes every source, and opens no other', async () => {
  const { seen, open } = sources(Array.from({ length: 100 }, () => 100))
  let items = 0
  const counted = async function* () {
    for (; items < 100; items++) yield items
  }
  for await (const { at } of inOrder(counted(), open, { ahead: 3 })) if (at === 0) break
  for (let turn = 0; turn < 20; turn++) await setImmediate()
  expect(seen.open).toBe(0)
  expect(seen.read).toBeLessThan(20)
  expect(items).toBeLessThan(4)
})
