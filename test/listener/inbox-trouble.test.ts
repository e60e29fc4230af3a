/** What a delivery is answered while the inbox cannot store it: 503, never 2xx. */
import { readdirSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { deliver, eventBody, startTestListener, type TestListener } from '../support/test-listener.ts'

let here: TestListener

beforeEach(async () => {
  here = await startTestListener()
})

afterEach(() => here.stop())

const keptIds = () => here.inbox.deliveries.list().map(({ eventId }) => eventId)
const errors = () =>
  here.of('error').map(({ error, fatal }) => ({ code: (error as { code?: string }).code, fatal }))

test('while another process holds the lock the loop goes on, and after 2 s the answer is 503 with Retry-After', {
  tags: ['slow'],
}, async () => {
  const other = new DatabaseSync(here.path)
  other.exec('BEGIN IMMEDIATE')
  const answers = Promise.all([1, 2, 3].map((at) => deliver(here.url, eventBody(`evt_${at}`))))
  const started = performance.now()
  expect((await fetch(here.url)).status).toBe(405)
  expect(performance.now() - started).toBeLessThan(1000)
  for (const answer of await answers) {
    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toBe('1')
    expect(await answer.json()).toEqual({ error: { code: 'inbox_unavailable' } })
  }
  expect(errors()).toEqual([{ code: 'busy', fatal: false }])
  other.exec('ROLLBACK')
  other.close()
  expect((await deliver(here.url, eventBody('evt_4'))).status).toBe(200)
  expect(keptIds()).toEqual(['evt_4'])
})

test('after its files were deleted a delivery is answered 503, which is told once, and the next ones are kept in new files', async () => {
  await deliver(here.url, eventBody('evt_1'))
  for (const file of readdirSync(dirname(here.path))) rmSync(`${dirname(here.path)}/${file}`)
  const answer = await deliver(here.url, eventBody('evt_2'))
  expect(answer.status).toBe(503)
  expect(answer.headers.get('retry-after')).toBe('1')
  for (const id of ['evt_3', 'evt_4']) expect((await deliver(here.url, eventBody(id))).status).toBe(200)
  expect(errors()).toEqual([{ code: 'replaced', fatal: false }])
  const other = new DatabaseSync(here.path, { readOnly: true })
  expect(other.prepare('SELECT event_id FROM deliveries').all()).toMatchObject([
    { event_id: 'evt_3' },
    { event_id: 'evt_4' },
  ])
  other.close()
})

test('when the inbox may not grow the answer is 503 with Retry-After, and what was answered 2xx stays', async () => {
  const full = await startTestListener({}, { maxBytes: 512 * 1024 })
  const acknowledged: string[] = []
  const refused: Response[] = []
  for (let at = 0; at < 60; at++) {
    const body = eventBody(`evt_${at}`, `connection.${'x'.repeat(20_000)}`)
    const answer = await deliver(full.url, body)
    if (answer.ok) acknowledged.push(`evt_${at}`)
    else refused.push(answer)
  }
  expect(acknowledged.length).toBeGreaterThan(5)
  expect(refused.length).toBeGreaterThan(5)
  for (const { status, headers } of refused) {
    expect(status).toBe(503)
    expect(headers.get('retry-after')).toBe('60')
  }
  expect(full.inbox.deliveries.list().map(({ eventId }) => eventId)).toEqual(acknowledged)
  expect(full.of('error')).toMatchObject([{ error: { code: 'full' }, fatal: false }])
  await full.stop()
})
