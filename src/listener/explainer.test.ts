import { expect, onTestFinished, test, vi } from 'vitest'
import { createExplainer } from './explainer.ts'

const delivery = { secrets: ['whsec_1'], headers: {}, body: new Uint8Array(), now: 0 }

function explainerRunning(code: string, maxMs: number) {
  const explainer = createExplainer({
    program: new URL(`data:text/javascript,${encodeURIComponent(code)}`),
    maxMs,
  })
  onTestFinished(() => explainer.close())
  return explainer
}

const answering = `
  import { parentPort } from 'node:worker_threads'
  parentPort.on('message', ({ now }) => {
    if (now === 1) for (;;);
    if (now === 2) throw new Error('broken')
    if (now === 3) { const all = []; for (;;) all.push('x'.repeat(1000) + all.length) }
    parentPort.postMessage(JSON.stringify(process.env))
  })`

test('one that takes too long, breaks or takes too much memory is left out, and the next gets another thread', {
  tags: ['slow'],
}, async () => {
  process.env['BANKAPI_TEST_SECRET'] = 'not for the thread'
  const explainer = explainerRunning(answering, 5000)
  expect(await explainer.explain(delivery)).toBe('{}')
  expect(await explainer.explain({ ...delivery, now: 2 })).toBeUndefined()
  expect(await explainer.explain({ ...delivery, now: 3 })).toBeUndefined()
  expect(await explainer.explain(delivery)).toBe('{}')
  const impatient = explainerRunning(answering, 300)
  expect(await impatient.explain({ ...delivery, now: 1 })).toBeUndefined()
})

test('one at a time, a few wait, and the rest are left out', async () => {
  const explainer = explainerRunning(answering, 5000)
  const asked = Array.from({ length: 20 }, () => explainer.explain(delivery))
  expect(explainer.busy).toBe(true)
  const answers = await Promise.all(asked)
  expect(answers.filter((answer) => answer === '{}')).toHaveLength(8)
  expect(explainer.busy).toBe(false)
})

test('closing ends what is being explained and what waits', async () => {
  const explainer = explainerRunning(answering, 60_000)
  const asked = [explainer.explain({ ...delivery, now: 1 }), explainer.explain(delivery)]
  await explainer.close()
  expect(await Promise.all(asked)).toEqual([undefined, undefined])
})

test('one that breaks has no sentence at once, one that takes too long in time; the next gets another thread', async () => {
  const explainer = explainerRunning(answering, 60_000)
  expect(await explainer.explain({ ...delivery, now: 2 })).toBeUndefined()
  expect(await explainer.explain(delivery)).toBe('{}')
  const impatient = explainerRunning(answering, 50)
  expect(await impatient.explain({ ...delivery, now: 1 })).toBeUndefined()
})

test('one that is asked for after closing starts no thread', async () => {
  const explainer = explainerRunning('throw new Error("a thread was started")', 60_000)
  await explainer.close()
  expect(await explainer.explain(delivery)).toBeUndefined()
  expect(explainer.busy).toBe(false)
})

test('one thread explains one after another, and of each that is over nothing is left to wait for', async () => {
  const explainer = explainerRunning(
    `import { parentPort, threadId } from 'node:worker_threads'
     parentPort.on('message', () => parentPort.postMessage(String(threadId)))`,
    60_000,
  )
  const first = await explainer.explain(delivery)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const warned = vi.fn()
  process.on('warning', warned)
  onTestFinished(() => void process.off('warning', warned))
  // Node warns of a leak at the eleventh listener of one event.
  for (let number = 2; number <= 12; number++) expect(await explainer.explain(delivery)).toBe(first)
  expect(vi.getTimerCount()).toBe(0)
  await new Promise(setImmediate)
  expect(warned).not.toHaveBeenCalled()
})
