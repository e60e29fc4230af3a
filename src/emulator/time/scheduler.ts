/** Runs scheduled jobs: as real time makes them due, and in order when the clock is advanced. */
import { type Deliverer, deliver } from '../deliveries/deliver.ts'
import { recordAttempt } from '../engine/deliveries.ts'
import type { Engine } from '../engine/engine.ts'
import { runJob } from '../engine/run-job.ts'
import type { Job } from '../engine/schedule.ts'
import { isDiskFull } from '../store/database.ts'
import type { JobRow } from '../store/jobs.ts'
import type { EmulatorClock } from './emulator-clock.ts'

export interface Scheduler {
  /** Begins to run jobs as they fall due. What the last run left is taken up again. */
  start(): void
  /** Moves the clock by `ms` and runs what falls due on the way, in order. Resolves to the number of jobs run. */
  advance(ms: number): Promise<number>
  /** Resolves when no job is due and no delivery is under way. */
  settled(): Promise<void>
  /** Runs `work` while no advance is under way, and looks at the schedule again. */
  between<T>(work: () => T): Promise<T>
  /** Ends deliveries under way (they are made again at the next start) and runs nothing more. */
  stop(): Promise<void>
}

export interface SchedulerOptions {
  readonly engine: Engine
  readonly clock: EmulatorClock
  readonly deliverer: Deliverer
  readonly onError: (error: unknown, job: string) => void
}

/** Deliveries at a time; the others wait for their turn. */
const maxDeliveries = 256
/** Jobs run before waiting requests are answered. */
const atOnce = 200
/** Before jobs are tried again on a full disk, in milliseconds. */
const fullDiskPause = 1000
/** Longest sleep of a timer, in milliseconds: setTimeout takes no more. */
const maxSleep = 2 ** 31 - 1

export function createScheduler({ engine, clock, deliverer, onError }: SchedulerOptions): Scheduler {
  const { store, schedule } = engine
  const underWay = new Set<Promise<void>>()
  const ending = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let advancing: Promise<unknown> = Promise.resolve()
  let held = false
  let waking = false
  let count = 0
  let yielded = 0

  /** Runs one job; a delivery is only started, and goes on in parallel. */
  function run(row: JobRow): void {
    count += 1
    const job = JSON.parse(row.job) as Job
    if (job.kind === 'deliver') {
      store.jobs.claim(row.seq)
      const delivery = attempt(row.seq, job.delivery).catch((error: unknown) => onError(error, row.job))
      underWay.add(delivery)
      void delivery.finally(() => {
        underWay.delete(delivery)
        wake()
      })
      return
    }
    try {
      store.db.transaction(() => {
        store.jobs.remove(row.seq)
        runJob(engine, job)
      })
    } catch (error) {
      // It stays due, and runs when there is space again.
      if (isDiskFull(error)) throw error
      // A job that fails must not block the others.
      store.jobs.remove(row.seq)
      onError(error, row.job)
    }
  }

  async function attempt(job: number, seq: number): Promise<void> {
    const delivery = store.deliveries.get(seq)
    const subscription = delivery && store.subscriptions.bySeq(delivery.subscription)
    if (!delivery || !subscription) {
      store.jobs.remove(job)
      return
    }
    const outcome = await deliver(deliverer, engine, delivery, subscription, ending.signal)
    const record = () =>
      store.db.transaction(() => {
        // Gone after a reset, or when the subscription was deleted with its deliveries.
        const current = store.jobs.remove(job) > 0 ? store.subscriptions.bySeq(subscription.seq) : undefined
        if (current) recordAttempt(engine, delivery, current, outcome)
      })
    while (!ending.signal.aborted && !unlessFull(record)) await deliverer.sleep(fullDiskPause, ending.signal)
  }

  /** Starts up to `max` of the jobs due, within the limit of deliveries. True when any was started. */
  function runDue(until: number, max: number): boolean {
    let started = 0
    while (started < max && underWay.size < maxDeliveries) {
      const job = store.jobs.next(until)
      if (!job) break
      run(job)
      started += 1
    }
    return started > 0
  }

  /** Sets the timer for the next job due, at least `pause` milliseconds from now. */
  function wake(pause = 0): void {
    if (held || ending.signal.aborted) return
    clearTimeout(timer)
    const due = store.jobs.nextDueAt()
    if (due === undefined || underWay.size >= maxDeliveries) return
    timer = setTimeout(
      () => {
        if (held || ending.signal.aborted) return
        wake(unlessFull(() => runDue(clock.now(), atOnce)) ? 0 : fullDiskPause)
      },
      Math.min(Math.max(pause, due - clock.now()), maxSleep),
    )
    timer.unref()
  }

  /** Wakes once for many additions, and after the transaction they belong to. */
  function wakeSoon(): void {
    if (waking) return
    waking = true
    setImmediate(() => {
      waking = false
      wake()
    })
  }

  /** Runs every job due at this moment of the held clock, and those that they make due at once. */
  async function exhaust(until: number): Promise<void> {
    do {
      await Promise.all(underWay)
      if (count - yielded >= atOnce) await turn()
    } while (!ending.signal.aborted && (runDue(until, atOnce) || underWay.size > 0))
  }

  /** Lets requests be answered during a long advance. */
  async function turn(): Promise<void> {
    yielded = count
    await new Promise((resolve) => setImmediate(resolve))
  }

  async function workThrough(ms: number): Promise<number> {
    const begun = count
    const target = clock.now() + ms
    held = true
    clearTimeout(timer)
    clock.hold(clock.now())
    try {
      await exhaust(clock.now())
      for (;;) {
        const due = store.jobs.nextDueAt()
        if (due === undefined || due > target || ending.signal.aborted) break
        clock.hold(Math.max(due, clock.now()))
        await exhaust(clock.now())
      }
      clock.hold(target)
    } finally {
      clock.release()
      held = false
      wake()
      store.meta.set('clock_offset', String(clock.offset()))
    }
    return count - begun
  }

  return {
    start() {
      store.jobs.releaseAll()
      schedule.onAdd = wakeSoon
      wake()
    },
    advance(ms) {
      // In turn: each starts from the time at which the one before ended.
      const next = advancing.then(() => workThrough(ms))
      advancing = next.catch(() => undefined)
      return next
    },
    between(work) {
      const next = advancing.then(() => {
        const result = work()
        wake()
        return result
      })
      advancing = next.catch(() => undefined)
      return next
    },
    async settled() {
      await advancing
      while (underWay.size > 0 || store.jobs.next(clock.now())) {
        await Promise.race([...underWay, new Promise((resolve) => setTimeout(resolve, 5))])
      }
    },
    async stop() {
      ending.abort()
      clearTimeout(timer)
      schedule.onAdd = () => undefined
      await Promise.all(underWay)
      await advancing
    },
  }
}

/** False, and nothing done, when the disk is full. */
function unlessFull(work: () => unknown): boolean {
  try {
    work()
    return true
  } catch (error) {
    if (!isDiskFull(error)) throw error
    return false
  }
}
