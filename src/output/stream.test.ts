import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { PassThrough, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { until } from '../../test/support/until.ts'
import { writeText } from './sink.ts'
import { streamRows } from './stream.ts'

/** Keeps what it gets; each write takes `delay` ms, and `failure` comes after `room` writes. */
function collector({ delay = 0, highWaterMark = 16_384 } = {}) {
  const chunks: string[] = []
  const stream = new Writable({
    highWaterMark,
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      chunks.push(chunk)
      if (delay > 0) setTimeout(done, delay)
      else done()
    },
  })
  return { stream, chunks, text: () => chunks.join('') }
}

/** Rows as they come from a list whose pages hold one each. */
async function* oneByOne(rows: AsyncIterable<unknown> | Iterable<unknown>) {
  for await (const row of rows) yield [row]
}

async function* numbered(count: number, onRow?: (index: number) => void) {
  for (let index = 0; index < count; index++) {
    onRow?.(index)
    yield [{ id: `txn_${index}`, amount: -index }]
  }
}

test('ndjson: every row is one line, in order, and the stream stays open', async () => {
  const out = collector()
  expect(await streamRows(numbered(20_000), out.stream, { format: 'ndjson' })).toEqual({
    ...{ rows: 20_000, closed: false, dropped: [] },
  })
  const lines = out.text().split('\n')
  expect(lines).toHaveLength(20_001)
  expect(lines[19_999]).toBe('{"id":"txn_19999","amount":-19999}')
  expect(out.chunks.length).toBeLessThan(100)
  expect(out.stream.writableEnded).toBe(false)
})

test('csv: a header, then the rows; a column that appears too late is reported', async () => {
  const out = collector()
  const rows = [...Array(1_500).keys()].map((n) => (n < 1_200 ? { id: n } : { id: n, late: true }))
  const result = await streamRows(oneByOne(rows), out.stream, { format: 'csv' })
  expect(out.text().split('\n').slice(0, 3)).toEqual(['id', '0', '1'])
  expect(out.text().split('\n')).toHaveLength(1_502)
  expect(result.dropped).toEqual(['late'])
})

test('csv: named and known columns decide the header; no rows leave only that', async () => {
  const named = collector()
  await streamRows(numbered(2), named.stream, { format: 'csv', columns: ['amount'] })
  expect(named.text()).toBe('amount\n0\n-1\n')
  const none = collector()
  await streamRows([], none.stream, { format: 'csv', known: ['id'] })
  expect(none.text()).toBe('id\n')
})

test('an unknown column is refused before anything is written', async () => {
  const out = collector()
  await expect(streamRows(numbered(3), out.stream, { format: 'ndjson', columns: ['nope'] })).rejects.toThrow(
    'nope',
  )
  expect(out.text()).toBe('')
})

test('the source is read at the pace of the reader: it is never far ahead of what was read', async () => {
  let produced = 0
  let read = 0
  const reader = new PassThrough({ highWaterMark: 1_024 })
  const done = streamRows(
    numbered(50_000, (index) => {
      produced = index
    }),
    reader,
    { format: 'ndjson' },
  )
  void done.then(() => reader.end())
  for await (const chunk of reader) {
    read += String(chunk).split('\n').length - 1
    if (produced - read > 5_000) throw new Error(`${produced} rows produced, ${read} read`)
  }
  expect([(await done).rows, read]).toEqual([50_000, 50_000])
})

test('a row is shown as soon as the source has to wait for the next', async () => {
  const out = collector()
  async function* slow() {
    yield [{ id: 1 }]
    await new Promise(() => undefined)
  }
  const stop = new AbortController()
  const done = streamRows(slow(), out.stream, { format: 'ndjson', signal: stop.signal }).catch(
    () => undefined,
  )
  await until(() => out.text() === '{"id":1}\n', 'the first row')
  stop.abort()
  await done
})

test('an abort ends a source that hangs, with whole lines written and the reason thrown', async () => {
  const out = collector()
  const stop = new AbortController()
  async function* hanging() {
    yield [{ id: 1 }]
    await new Promise(() => undefined)
  }
  const done = streamRows(hanging(), out.stream, { format: 'ndjson', signal: stop.signal })
  await until(() => out.text() !== '', 'the first row')
  stop.abort(new Error('Ctrl-C'))
  await expect(done).rejects.toThrow('Ctrl-C')
  expect(out.text()).toBe('{"id":1}\n')
})

test('an abort ends waiting for a reader that does not read', async () => {
  const stop = new AbortController()
  const stuck = new PassThrough({ highWaterMark: 16 })
  const done = streamRows(numbered(100_000), stuck, { format: 'ndjson', signal: stop.signal })
  await until(() => stuck.writableNeedDrain, 'a full stream')
  stop.abort(new Error('Ctrl-C'))
  await expect(done).rejects.toThrow('Ctrl-C')
})

test('a reader that leaves, as head does, ends it quietly and closes the source', async () => {
  const head = spawn('head', ['-n', '1'], { stdio: ['pipe', 'pipe', 'ignore'] })
  const first = once(head.stdout, 'data')
  let closed = false
  async function* endless() {
    try {
      for (let index = 0; ; index++) {
        if (index % 100 === 0) await sleep(0)
        yield [{ index, padding: 'x'.repeat(500) }]
      }
    } finally {
      closed = true
    }
  }
  const result = await streamRows(endless(), head.stdin, { format: 'ndjson' })
  expect(String(await first)).toContain('"index":0')
  expect(result.closed).toBe(true)
  expect(closed).toBe(true)
})

test('any other failure of the stream is thrown', async () => {
  const full = new Writable({ write: (_chunk, _encoding, done) => done(new Error('ENOSPC: no space left')) })
  await expect(streamRows(numbered(100_000), full, { format: 'ndjson' })).rejects.toThrow('ENOSPC')
})

test('what the source throws is thrown, after the rows before it were written', async () => {
  const out = collector()
  async function* broken() {
    yield [{ id: 1 }]
    throw new Error('page 2 failed')
  }
  await expect(streamRows(broken(), out.stream, { format: 'ndjson' })).rejects.toThrow('page 2 failed')
  expect(out.text()).toBe('{"id":1}\n')
})

test('memory stays the same however many rows pass', async () => {
  const peak = async (count: number) => {
    let highest = 0
    const watch = (index: number) => {
      if (index % 1_000 === 0) highest = Math.max(highest, process.memoryUsage().heapUsed)
    }
    const sink = new Writable({ write: (_chunk, _encoding, done) => setImmediate(done) })
    await streamRows(numbered(count, watch), sink, { format: 'ndjson', signal: new AbortController().signal })
    return highest
  }
  await peak(20_000)
  const small = await peak(20_000)
  expect(await peak(400_000)).toBeLessThan(small + 60_000_000)
})

test('finished text is taken by the stream before writeText returns, and a reader that left is no error', async () => {
  const out = collector({ delay: 20 })
  expect(await writeText(out.stream, 'hello\n')).toBe(true)
  expect(out.stream.writableLength).toBe(0)
  const gone = new Writable({
    write: (_chunk, _encoding, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
  })
  expect(await writeText(gone, 'hello\n')).toBe(false)
})
