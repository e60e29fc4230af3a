/**
 * Measures `bankapi sync` against a built emulator: rows per second of a first run compared with `transactions list --all` over
 * the same accounts, memory against a tenth of the rows, the requests of a run with nothing new, and what --concurrency and
 * workers are worth with 100 ms of latency. Every process is a separate one, and cases that are compared run in turns.
 *
 *   npm run bench sync -- [--transactions 1000000] [--rounds 3] [--postgres postgres://user@host/database]
 *
 * Postgres is left out without an address; its database is emptied before every turn. Keeps the numbers in
 * .bench-results/sync.json.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Client } from 'pg'
import { accountId, clientId } from './emulator/crowd.ts'
import type { Measured } from './list/measure.ts'
import { median } from './median.ts'
import { type Line, report, say } from './report.ts'
import { type Service, startService } from './sync/runs.ts'

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    transactions: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '3' },
    postgres: { type: 'string' },
  },
})
const rounds = Number(values.rounds)
const folder = mkdtempSync(join(tmpdir(), 'bankapi-bench-'))

/** Few large accounts: the start of a process per account would weigh on the list otherwise. */
const deep = { clients: 5, accounts: 2, transactions: Number(values.transactions) / 10 }
const tenth = { ...deep, transactions: deep.transactions / 10 }
const quiet = { clients: 200, accounts: 5, transactions: 20 }
const far = { clients: 32, accounts: 5, transactions: 20 }
/** So many that the start of four processes on two processors is a small part of their work. */
const farAndMany = { ...far, clients: 128 }

async function using<T>(service: Promise<Service>, measureIt: (service: Service) => Promise<T>): Promise<T> {
  const started = await service
  try {
    return await measureIt(started)
  } finally {
    await started.stop()
  }
}

const crowdClients = (crowd: { readonly clients: number }) =>
  Array.from({ length: crowd.clients }, (_, index) => clientId(index + 1))

/** Every account of the crowd, one after the other; of their starts only one counts. */
async function list({ run }: Service): Promise<Cost> {
  const start = await run(['clients', 'list', '--limit', '1', '-o', 'ndjson'])
  let rows = 0
  let { ms, processorMs } = start
  for (const [index, client] of crowdClients(deep).entries()) {
    for (let number = 1; number <= deep.accounts; number += 1) {
      const account = accountId(index + 1).replace(/01$/, String(number).padStart(2, '0'))
      const turn = await run(['transactions', 'list', account, '--client', client, '--all', '-o', 'ndjson'])
      rows += turn.rows
      ms += turn.ms - start.ms
      processorMs += turn.processorMs - start.processorMs
    }
  }
  if (rows !== deep.clients * deep.accounts * deep.transactions) throw new Error(`list read ${rows} rows`)
  return cost({ rows, ms, processorMs })
}

interface Cost {
  readonly rowsPerSecond: number
  /** Processor time of a row, in microseconds: it says the same on a busy machine. */
  readonly processor: number
}

function cost({ rows, ms, processorMs }: Pick<Measured, 'rows' | 'ms' | 'processorMs'>): Cost {
  return { rowsPerSecond: (rows / ms) * 1000, processor: (processorMs / rows) * 1000 }
}

async function emptied(address: string): Promise<string> {
  const client = new Client(address)
  await client.connect()
  await client.query('DROP SCHEMA IF EXISTS bankapi CASCADE; DROP SCHEMA IF EXISTS bankapi_jobs CASCADE')
  await client.end()
  return address
}

async function measureFirstRun() {
  const turns: { list: Cost; sqlite: Cost; postgres?: Cost; peak: number; tenthPeak: number }[] = []
  const only = ['--only', 'transactions', ...crowdClients(deep).flatMap((id) => ['--client', id])]
  for (let round = 0; round < rounds; round += 1) {
    const tenthPeak = await using(startService(join(folder, 'tenth'), tenth), async ({ sync }) => {
      return (await sync('mirror.sqlite', only)).peakKilobytes
    })
    const turn = await using(startService(join(folder, 'deep'), deep), async (service) => {
      const listed = await list(service)
      const sqlite = await service.sync('mirror.sqlite', only)
      const postgres =
        values.postgres === undefined
          ? {}
          : { postgres: cost(await service.sync(await emptied(values.postgres), only)) }
      return { list: listed, sqlite: cost(sqlite), ...postgres, peak: sqlite.peakKilobytes }
    })
    turns.push({ ...turn, tenthPeak })
    say(JSON.stringify(turns.at(-1)))
  }
  return turns
}

/** A second run directly after the first: the daily listings are done, and nothing has changed. */
async function measureNothingNew() {
  return using(startService(join(folder, 'quiet'), quiet), async ({ sync, run }) => {
    await sync('mirror.sqlite')
    const { summary } = await sync('mirror.sqlite', [], false)
    const pending = await run([
      ...['sync', 'query', 'select distinct account_id from pending', '-o', 'ndjson'],
      ...['--to', join(folder, 'quiet', 'mirror.sqlite')],
    ])
    return { clients: summary.clients, requests: summary.requests, pendingAccounts: pending.rows }
  })
}

async function measureConcurrency() {
  return using(startService(join(folder, 'far'), far, ['--latency', '100']), async ({ sync }) => {
    const turns: { one: number; sixteen: number }[] = []
    for (let round = 0; round < rounds; round += 1) {
      const timeOf = async (concurrency: string) =>
        (await sync('mirror.sqlite', ['--concurrency', concurrency])).ms
      turns.push({ one: await timeOf('1'), sixteen: await timeOf('16') })
      say(JSON.stringify(turns.at(-1)))
    }
    return turns
  })
}

/** Workers share the Clients of one run; each may have four requests under way. */
async function measureWorkers(address: string) {
  return using(
    startService(join(folder, 'far-and-many'), farAndMany, ['--latency', '100']),
    async ({ run, sync }) => {
      const turns: { one: number; four: number }[] = []
      for (let round = 0; round < rounds; round += 1) {
        const timeOf = async (workers: number) => {
          await emptied(address)
          // The mirror and the queue are there before the clock starts.
          await sync(address, ['--client', clientId(1), '--only', 'transactions'])
          const begun = performance.now()
          const words = ['sync', 'worker', '--to', address, '--once', '--concurrency', '4', '--json']
          await Promise.all(Array.from({ length: workers }, () => run(words)))
          return performance.now() - begun
        }
        turns.push({ one: await timeOf(1), four: await timeOf(4) })
        say(JSON.stringify(turns.at(-1)))
      }
      return turns
    },
  )
}

async function measure() {
  say('First runs, in turns…')
  const first = await measureFirstRun()
  say('A run with nothing new…')
  const nothingNew = await measureNothingNew()
  say('100 ms of latency…')
  const concurrency = await measureConcurrency()
  if (values.postgres === undefined) return { first, nothingNew, concurrency }
  say('Workers…')
  return { first, nothingNew, concurrency, workers: await measureWorkers(values.postgres) }
}

function linesOf({ first, nothingNew, concurrency, workers }: Awaited<ReturnType<typeof measure>>): Line[] {
  const of = (number: (turn: (typeof first)[number]) => number) => median(first.map(number))
  const rows = (perSecond: number) => `${(perSecond / 1000).toFixed(1)}k rows/s`
  const seconds = (times: readonly number[]) => `${(median(times) / 1000).toFixed(1)} s`
  const megabytes = (kilobytes: number) => `${(kilobytes / 1000).toFixed(0)} MB`
  const against = (store: 'sqlite' | 'postgres', what: keyof Cost) =>
    of((turn) => (turn[store]?.[what] ?? Number.NaN) / turn.list[what])
  const firstRun = (store: 'sqlite' | 'postgres', name: string, goal: number): Line => ({
    what: `first run into ${name}`,
    measured: rows(of((turn) => turn[store]?.rowsPerSecond ?? Number.NaN)),
    compared:
      `list --all ${rows(of((turn) => turn.list.rowsPerSecond))}: ${against(store, 'rowsPerSecond').toFixed(2)} of it; ` +
      `processor ${of((turn) => turn[store]?.processor ?? Number.NaN).toFixed(0)} µs a row, ${of((turn) => turn.list.processor).toFixed(0)}`,
    goal: `≥ ${goal.toFixed(2)}`,
    met: against(store, 'rowsPerSecond') >= goal,
  })
  const memory = of((turn) => turn.peak / turn.tenthPeak)
  const { requests, clients, pendingAccounts } = nothingNew
  const perClient = (requests - pendingAccounts) / clients
  const times = median(concurrency.map(({ one, sixteen }) => one / sixteen))
  const lines: Line[] = [
    firstRun('sqlite', 'SQLite', 0.6),
    {
      what: 'its peak memory',
      measured: megabytes(of((turn) => turn.peak)),
      compared: `a tenth of the rows ${megabytes(of((turn) => turn.tenthPeak))}: ${memory.toFixed(2)} of it`,
      goal: '≤ 1.30',
      met: memory <= 1.3,
    },
    {
      what: 'a run with nothing new',
      measured: `${requests} requests`,
      compared: `${clients} Clients, ${pendingAccounts} accounts with pending rows: ${perClient.toFixed(2)} per Client`,
      goal: '≤ 2.20',
      met: perClient <= 2.2,
    },
    {
      what: '--concurrency 16, 100 ms of latency',
      measured: seconds(concurrency.map(({ sixteen }) => sixteen)),
      compared: `--concurrency 1 ${seconds(concurrency.map(({ one }) => one))}: ${times.toFixed(1)} times`,
      goal: '≥ 8.0',
      met: times >= 8,
    },
  ]
  if (values.postgres !== undefined) lines.splice(1, 0, firstRun('postgres', 'Postgres', 0.4))
  if (workers !== undefined) {
    const share = median(workers.map(({ one, four }) => one / four))
    lines.push({
      what: 'four workers, 100 ms of latency',
      measured: seconds(workers.map(({ four }) => four)),
      compared: `one worker ${seconds(workers.map(({ one }) => one))}: ${share.toFixed(1)} times`,
      goal: '≥ 3.0',
      met: share >= 3,
    })
  }
  return lines
}

try {
  if (values.postgres === undefined) say('Postgres is left out: name a database with --postgres')
  await report('sync', measure, linesOf)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
