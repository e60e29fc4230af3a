/** Why a delivery is refused is found after its answer, away from the event loop. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { afterEach, expect, test } from 'vitest'
import {
  deliver,
  eventBody,
  signedHeaders,
  startTestListener,
  type TestListener,
} from '../support/test-listener.ts'

let here: TestListener

afterEach(() => here.stop())

const details = () => here.of('delivery').map(({ delivery }) => delivery.detail)

/** Arrays nested 400 deep, 1 MiB in all: written with an indent, it is 400 times as long. */
function nested(): string {
  const group = `${'['.repeat(400)}0${',0'.repeat(600)}${']'.repeat(400)},`
  return `[${group.repeat(Math.floor((1024 * 1024 - 4) / group.length))}0]`
}

test('the line and the inbox say what was found, once the sender has its answer', async () => {
  here = await startTestListener()
  const body = eventBody()
  expect((await deliver(here.url, `${body}\n`, await signedHeaders(body))).status).toBe(401)
  await expect.poll(details).toEqual([expect.stringContaining('after removing the final newline')])
  expect(here.events.map(({ kind }) => kind)).toEqual(['ready', 'delivery', 'settled'])
  expect(here.inbox.deliveries.list()).toMatchObject([
    { reason: 'signature_mismatch', detail: expect.stringContaining('after removing the final newline') },
  ])
})

test('a forged body nested 400 deep keeps nobody waiting', async () => {
  here = await startTestListener()
  const body = nested()
  const forged = { ...(await signedHeaders(body)), 'X-LS-Webhook-Signature': '0'.repeat(64) }
  const loop = monitorEventLoopDelay({ resolution: 10 })
  loop.enable()
  const attacks = Array.from({ length: 8 }, () => deliver(here.url, body, forged))
  const started = performance.now()
  expect((await deliver(here.url)).status).toBe(200)
  expect(performance.now() - started).toBeLessThan(2000)
  expect((await Promise.all(attacks)).map(({ status }) => status)).toEqual(Array(8).fill(401))
  await expect.poll(() => here.of('settled').length, { timeout: 30_000 }).toBe(9)
  loop.disable()
  // One of them took six seconds.
  expect(loop.max / 1e6).toBeLessThan(1500)
})

test('of many at once some are explained, and the others say that they were not', async () => {
  here = await startTestListener()
  const body = eventBody()
  const forged = await signedHeaders(body)
  const answers = await Promise.all(Array.from({ length: 60 }, () => deliver(here.url, `${body} `, forged)))
  expect(answers.every(({ status }) => status === 401)).toBe(true)
  await expect.poll(() => here.of('settled').length).toBe(60)
  const skipped = details().filter((detail) => detail?.includes('It was not looked into'))
  const explained = details().filter((detail) => detail?.includes('removing the white space'))
  expect(skipped.length).toBeGreaterThan(0)
  expect(explained.length).toBeGreaterThan(0)
  expect(skipped.length + explained.length).toBe(60)
})

test('closing waits a moment for an explanation; by force it does without', async () => {
  here = await startTestListener()
  const body = eventBody()
  await deliver(here.url, `${body}\n`, await signedHeaders(body))
  await here.listener.close()
  expect(details()).toEqual([expect.stringContaining('after removing the final newline')])
  expect(here.events.at(-1)?.kind).toBe('closed')

  const other = await startTestListener()
  await deliver(other.url, `${body}\n`, await signedHeaders(body))
  await other.listener.close({ force: true })
  expect(other.events.map(({ kind }) => kind)).toEqual(['ready', 'delivery', 'settled', 'closed'])
  await other.stop()
})
