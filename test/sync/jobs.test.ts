/** What workers on several machines share: the leases of streams, the queue of jobs, the pause that the service asks for. */
import { Client } from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startEmulator } from '../../src/emulator.ts'
import { systemClock } from '../../src/machine/machine.ts'
import { deadLetters } from '../../src/sync/jobs/dead-letters.ts'
import { type JobQueue, openQueue } from '../../src/sync/jobs/queue.ts'
import { sharedPause } from '../../src/sync/jobs/shared-pause.ts'
import { runWorker, type WorkerOptions } from '../../src/sync/jobs/worker.ts'
import type { Mirror } from '../../src/sync/mirror/mirror.ts'
import { Reader } from '../../src/sync/reader.ts'
import { Counts, type RunContext } from '../../src/sync/run-context.ts'
import { mirrorStatus } from '../../src/sync/status.ts'
import { advance, completed, keepLeases, recordFailure, takeStream } from '../../src/sync/streams.ts'
import { Limiter } from '../../src/workflows/limiter.ts'
import { apiOf, mirrorStores, openedMirror, synced } from '../support/mirrors.ts'
import { postgresServer, whyNoPostgres } from '../support/postgres.ts'
import { until } from '../support/until.ts'

const nowhere = { baseUrl: 'http://127.0.0.1:9/v3', apiKey: 'none' }
const key = { kind: 'transactions', subject: 'acc_1', clientId: 'cli_1' } as const
const HEARTBEAT_MS = 10_000

function writer(mirror: Mirror, lease: string, leaseMs: number): RunContext {
  const limiter = new Limiter({ clock: systemClock, concurrency: 1 })
  const signal = new AbortController().signal
  const reader = new Reader({ api: apiOf(nowhere), clock: systemClock, limiter, signal })
  const counts = new Counts()
  return { mirror, reader, counts, lease, leaseMs, takesOver: false, full: false, acceptGone: false }
}

describe.each(mirrorStores)('a stream on $name', ({ missing, place }) => {
  const its = test.skipIf(missing !== undefined)

  its('has one writer, and refuses whoever had it before', async () => {
    const mirror = await openedMirror(await place())
    const one = writer(mirror, 'job:one', 300)
    const other = writer(mirror, 'job:other', 60_000)
    await takeStream(one, key)
    await expect(takeStream(other, key)).rejects.toMatchObject({ code: 'stream_taken' })
    // A writer that says that it lives keeps it.
    await keepLeases({ ...one, leaseMs: 60_000 }, new Map([['job:one', 'cli_1']]))
    await expect(takeStream(other, key)).rejects.toMatchObject({ code: 'stream_taken' })
    await keepLeases({ ...one, leaseMs: 1 }, new Map([['job:one', 'cli_1']]))
    await until(() => takeStream(other, key).catch(() => undefined), 'the lease is over')
    const taken = { kind: key.kind, subject: key.subject }

    const write = (by: RunContext, subject: string) =>
      mirror.transaction(async (db) => {
        await mirror.put(db, 'files', [
          { kind: 'checks', account_id: 'acc_1', id: 'chk_1', client_id: subject },
        ])
        await advance(by, db, taken, { cursor: subject })
      })
    await expect(write(one, 'cli_one')).rejects.toMatchObject({ code: 'stream_taken' })
    expect(await mirror.db.selectFrom('files').selectAll().execute()).toEqual([])
    await write(other, 'cli_other')
    await mirror.transaction((db) => advance(other, db, taken, completed(other)))
    // Nobody walks any more, and still it may not write.
    await expect(write(one, 'cli_one')).rejects.toMatchObject({ code: 'stream_taken' })
    await recordFailure(one, key, new Error('late'))
    const stream = await mirror.db.selectFrom('streams').selectAll().executeTakeFirstOrThrow()
    expect(stream).toMatchObject({ lease: 'job:other', leased_until: null, failures: 0, error_code: null })
    await takeStream(one, key)
  })
})

const noPostgres = whyNoPostgres()

describe.skipIf(noPostgres !== undefined)(`on Postgres ${noPostgres ?? ''}`, async () => {
  const server = noPostgres === undefined ? await postgresServer() : undefined
  const database = async () => (await server?.database()) ?? ''

  async function queueOf(to: string): Promise<JobQueue> {
    const queue = await openQueue(to, { env: {}, heartbeatMs: HEARTBEAT_MS })
    onTestFinished(() => queue.close())
    return queue
  }

  async function psql(to: string): Promise<Client> {
    const client = new Client({ connectionString: to, ssl: false })
    await client.connect()
    onTestFinished(() => client.end())
    return client
  }

  async function workerOn(
    to: string,
    service: { readonly baseUrl: string; readonly apiKey: string },
    options: Partial<WorkerOptions> = {},
  ) {
    return runWorker({
      mirror: await openedMirror(to),
      queue: await queueOf(to),
      api: apiOf(service),
      clock: systemClock,
      signal: AbortSignal.timeout(60_000),
      limiter: new Limiter({ clock: systemClock, concurrency: 4 }),
      concurrency: 4,
      heartbeatMs: HEARTBEAT_MS,
      once: true,
      ...options,
    })
  }

  test('a killed run is gone on with at once, though the leases it held are not over', async () => {
    await using emulator = await startEmulator({ seed: 1 })
    const mirror = await openedMirror(await database())
    const killed = writer(mirror, 'run:killed', 60_000)
    const held = { kind: 'accounts', subject: 'cli_demo', clientId: 'cli_demo' } as const
    await takeStream(killed, held)
    const { outcome } = await synced(mirror, emulator)
    expect(outcome).toBe('complete')
    const { complete_at } = await mirror.db
      .selectFrom('streams')
      .select('complete_at')
      .where('kind', '=', 'accounts')
      .where('subject', '=', 'cli_demo')
      .executeTakeFirstOrThrow()
    expect(complete_at).not.toBeNull()
  })

  test('a run is due once in its span, whoever asks, and a Client has one job at a time', async () => {
    const to = await database()
    const queues = [await queueOf(to), await queueOf(to), await queueOf(to)]
    const [queue = await queueOf(to)] = queues
    const asked = await Promise.all(queues.map((each) => each.requestRun(3_600_000)))
    expect(asked.filter(Boolean)).toHaveLength(1)
    const [list] = await queue.take('list', 1)
    if (list === undefined) throw new Error('no job')
    await queue.complete('list', list, {})
    expect(await queue.requestRun(3_600_000)).toBe(false)
    expect(await queue.requestRun()).toBe(true)

    await queue.addClients(['cli_1', 'cli_2'], 'run-1')
    await queue.addClients(['cli_2', 'cli_3'], 'run-2')
    const taken = (await Promise.all(queues.map((each) => each.take('clients', 5)))).flat()
    expect(taken.map(({ data }) => data)).toHaveLength(3)
    await queue.addClients(['cli_1', 'cli_2', 'cli_3'], 'run-3')
    expect(await queue.take('clients', 5)).toEqual([])
    expect(await queue.keep('clients', taken)).toEqual(new Set(taken.map(({ id }) => id)))
  })

  test('a job that fails for good is a dead letter until its Client was read', async () => {
    const to = await database()
    const mirror = await openedMirror(to)
    expect(await deadLetters(mirror)).toEqual([])
    const queue = await queueOf(to)
    const user = await psql(to)
    await queue.addClients(['cli_1'], 'run-1')
    const take = async () => {
      await user.query(`UPDATE bankapi_jobs.job SET start_after = now() WHERE name = 'clients'`)
      const [job] = await queue.take('clients', 1)
      return job
    }
    let times = 0
    for (let job = await take(); job !== undefined; job = await take()) {
      times += 1
      await queue.fail('clients', job, { code: 'unexpected', message: 'for a reason' })
    }
    expect(times).toBe(6)
    expect(await deadLetters(mirror)).toMatchObject([
      { client_id: 'cli_1', code: 'unexpected', message: 'for a reason', retries: 5 },
    ])
    expect(await queue.outcomeOf('run-1')).toMatchObject({ clients: 1, failed: 1 })
    expect(await mirrorStatus(mirror, { now: Date.now(), limit: 10 })).toMatchObject({
      state: 'failing',
      dead_letters: [{ client_id: 'cli_1' }],
    })
    await queue.addClients(['cli_1'], 'run-2')
    const again = await take()
    if (again === undefined) throw new Error('no job')
    await queue.complete('clients', again, {})
    expect(await deadLetters(mirror)).toEqual([])
  })

  test('what a worker says of a job counts only until another has it', async () => {
    const to = await database()
    const queue = await queueOf(to)
    const user = await psql(to)
    await queue.addClients(['cli_1'], 'run-1')
    const [job] = await queue.take('clients', 1)
    if (job === undefined) throw new Error('no job')
    await queue.fail('clients', job, {})
    await user.query(`UPDATE bankapi_jobs.job SET start_after = now() WHERE name = 'clients'`)
    const [again] = await queue.take('clients', 1)
    if (again === undefined) throw new Error('no job')
    expect(again.id).toBe(job.id)
    expect(await queue.keep('clients', [job])).toEqual(new Set())
    await queue.complete('clients', job, {})
    expect(await queue.isBusy()).toBe(true)
    await queue.complete('clients', again, {})
    expect(await queue.isBusy()).toBe(false)
  })

  test('a pause that one was asked for holds for all', async () => {
    const to = await database()
    const limiters = await Promise.all(
      [1, 2].map(async () => {
        const shared = sharedPause(await openedMirror(to), systemClock)
        return new Limiter({ clock: systemClock, concurrency: 4, shared })
      }),
    )
    const [one, other] = limiters as [Limiter, Limiter]
    const signal = AbortSignal.timeout(20_000)
    await one.hold(1500)
    const from = performance.now()
    await one.hold(10)
    await other.run(async () => undefined, signal)
    const waited = performance.now() - from
    expect(waited).toBeGreaterThan(1000)
  })

  test('a worker reads every Client, closes the run, and says what failed', async () => {
    await using emulator = await startEmulator({
      seed: 1,
      crowd: { clients: 6, accounts: 1, transactions: 30 },
    })
    const to = await database()
    const failing = 'GET /accounts/acc_AGGREGATOR_A_crowd00000101/transactions'
    emulator.faults.add({ pattern: failing, status: 422 })
    const failures: string[] = []
    const first = await workerOn(to, emulator, { onFailure: ({ subject }) => failures.push(subject) })
    expect(first).toMatchObject({ failed: [{ subject: 'acc_AGGREGATOR_A_crowd00000101' }] })
    expect(first.clients).toBeGreaterThanOrEqual(6)
    expect(failures).toEqual(['acc_AGGREGATOR_A_crowd00000101'])
    const mirror = await openedMirror(to)
    const runs = () =>
      mirror.db.selectFrom('runs').select(['outcome', 'summary']).orderBy('started_at').execute()
    expect(await runs()).toMatchObject([{ outcome: 'failed' }])
    emulator.faults.clear()
    expect(await workerOn(to, emulator)).toMatchObject({ failed: [], given_back: 0 })
    expect(await runs()).toMatchObject([{ outcome: 'failed' }, { outcome: 'complete' }])
    expect(JSON.parse((await runs())[1]?.summary ?? '')).toMatchObject({ clients: first.clients, failed: 0 })
  })

  test('a worker with a folder of --files that cannot be used takes no job', async () => {
    const files = import.meta.filename
    await expect(workerOn(await database(), nowhere, { files })).rejects.toMatchObject({
      code: 'files_not_writable',
      exit: 'usage',
    })
  })

  test('a worker ends with the error when its key is refused', async () => {
    await using emulator = await startEmulator({ seed: 1 })
    const refused = workerOn(await database(), { baseUrl: emulator.baseUrl, apiKey: 'sk_unknown' })
    await expect(refused).rejects.toMatchObject({ exit: 'notAuthenticated' })
  })

  test('a worker that is stopped gives its jobs to the others', async () => {
    await using emulator = await startEmulator({
      seed: 1,
      crowd: { clients: 6, accounts: 1, transactions: 30 },
    })
    const to = await database()
    const stopping = new AbortController()
    emulator.faults.add({
      pattern: 'GET /accounts/*/transactions',
      after: 1,
      times: 1,
      meanwhile: () => stopping.abort(new Error('stop')),
    })
    const stopped = await workerOn(to, emulator, { signal: stopping.signal })
    expect(stopped.given_back).toBeGreaterThanOrEqual(1)
    const queue = await queueOf(to)
    expect(await queue.isBusy()).toBe(true)
    const { clients, failed } = await workerOn(to, emulator)
    expect(failed).toEqual([])
    expect(stopped.clients + clients).toBeGreaterThanOrEqual(6)
    expect(await queue.isBusy()).toBe(false)
  })
})
