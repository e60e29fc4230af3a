/**
 * Explains refused deliveries on a thread of its own, one at a time: what a sender made up must not delay the deliveries of
 * others. An explanation has a budget of time and memory, and is left out when too many are waiting.
 */
import { Worker } from 'node:worker_threads'
import type { DiagnoseWebhook } from '../signing/diagnose.ts'

export interface Explainer {
  /** Whether another explanation would be left out now. */
  readonly busy: boolean
  /** A sentence; undefined when there is none in time. Never rejects. */
  explain(delivery: DiagnoseWebhook): Promise<string | undefined>
  /** Ends the thread; what is not explained then is left out. */
  close(): Promise<void>
}

/** For each of them. */
const MAX_MS = 2000
const MAX_HEAP_MB = 64
/** Bodies stay in memory while they wait. */
const MAX_WAITING = 8

export function createExplainer({
  program = new URL('./diagnosis-thread.ts', import.meta.url),
  maxMs = MAX_MS,
} = {}): Explainer {
  let thread: Worker | undefined
  let closed = false
  let waiting = 0
  let last: Promise<unknown> = Promise.resolve()

  async function ask(delivery: DiagnoseWebhook): Promise<string | undefined> {
    if (closed) return undefined
    thread ??= startThread(program)
    const asked = thread
    const answer = await answerOf(asked, delivery, maxMs)
    if (answer === undefined) {
      // It is at work still, or broken: the next explanation gets a new one.
      thread = undefined
      await asked.terminate()
    }
    return answer
  }

  return {
    get busy() {
      return waiting >= MAX_WAITING
    },
    explain(delivery) {
      if (waiting >= MAX_WAITING) return Promise.resolve(undefined)
      waiting++
      const answer = last.then(() => ask(delivery)).finally(() => waiting--)
      last = answer
      return answer
    },
    async close() {
      closed = true
      await thread?.terminate()
    },
  }
}

function startThread(program: URL): Worker {
  const thread = new Worker(program, {
    // It needs none of our variables: they may hold secrets.
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB, maxYoungGenerationSizeMb: 8 },
  })
  thread.unref()
  // Its end is what counts, and comes behind.
  thread.on('error', () => undefined)
  return thread
}

function answerOf(thread: Worker, delivery: DiagnoseWebhook, maxMs: number): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  const timer = setTimeout(resolve, maxMs, undefined)
  const onAnswer = (answer: string) => resolve(answer)
  const onEnd = () => resolve(undefined)
  thread.once('message', onAnswer).once('exit', onEnd)
  thread.postMessage(delivery)
  return promise.finally(() => {
    clearTimeout(timer)
    // A thread that has answered goes on, and stops listening for answers by itself.
    thread.off('exit', onEnd)
  })
}
