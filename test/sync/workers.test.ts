/** Workers that share a mirror on Postgres, some of them killed or stopped on the way. */
import { Client } from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Emulator, startEmulator } from '../../src/emulator.ts'
import { deadLetters } from '../../src/sync/jobs/dead-letters.ts'
import type { WorkerSummary } from '../../src/sync/jobs/worker.ts'
import { createHome, type Home, type Started } from '../support/cli.ts'
import { walkAll } from '../support/independent-walk.ts'
import { openedMirror } from '../support/mirrors.ts'
import { postgresServer, whyNoPostgres } from '../support/postgres.ts'
import { until } from '../support/until.ts'

const missing = whyNoPostgres()

/** Notes who writes to a stream, in the order of the commits, and whether the one before still had its lease. */
const watchStreams = `
  CREATE TABLE public.walks (
    number bigserial, kind text, subject text, lease text, stolen boolean
  );
  CREATE FUNCTION public.note_walk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO public.walks (kind, subject, lease, stolen) VALUES (
      NEW.kind, NEW.subject, NEW.lease, NEW.lease <> OLD.lease AND OLD.leased_until > clock_timestamp()
    );
    RETURN NEW;
  END $$;
  CREATE TRIGGER note_walk AFTER UPDATE ON bankapi.streams FOR EACH ROW EXECUTE FUNCTION public.note_walk();
`

describe.skipIf(missing !== undefined)(`workers ${missing ?? ''}`, async () => {
  const server = missing === undefined ? await postgresServer() : undefined
  const database = async () => (await server?.database()) ?? ''

  async function psql(to: string): Promise<Client> {
    const client = new Client({ connectionString: to, ssl: false })
    await client.connect()
    client.on('error', () => {})
    onTestFinished(() => client.end())
    return client
  }

  function homeFor({ baseUrl, apiKey }: Emulator): Home {
    return createHome({
      env: { BANKAPI_ENV: 'sandbox', BANKAPI_BASE_URL: baseUrl, BANKAPI_API_KEY: apiKey },
    })
  }

  function worker(home: Home, to: string, ...more: string[]): Started {
    return home.start(['sync', 'worker', '--to', to, '--heartbeat', '10s', '--json', ...more])
  }

  async function summaryOf(started: Started): Promise<WorkerSummary> {
    const { code, stdout, stderr } = await started.ended
    expect({ code, stderr }).toMatchObject({ code: 0 })
    return JSON.parse(stdout)
  }

  async function expectEqual(to: string, emulator: Emulator): Promise<void> {
    const { db } = await openedMirror(to, { readOnly: true })
    const { clients, connections, accounts } = await walkAll(emulator)
    const live = async (table: 'clients' | 'connections' | 'accounts' | 'transactions' | 'statements') => {
      const rows = await db.selectFrom(table).select(['id', 'raw']).where('gone_at', 'is', null).execute()
      return new Map(rows.map(({ id, raw }) => [id, JSON.parse(raw)]))
    }
    const all = [...accounts.values()]
    expect(await live('clients')).toEqual(clients)
    expect(await live('connections')).toEqual(connections)
    expect(await live('accounts')).toEqual(new Map(all.map(({ account }) => [account.id, account])))
    expect(await live('transactions')).toEqual(new Map(all.flatMap(({ transactions }) => [...transactions])))
    expect([...(await live('statements')).keys()].toSorted()).toEqual(
      all.flatMap(({ statements }) => [...statements.keys()]).toSorted(),
    )
  }

  test('do every job once, though one is killed every few seconds and another stopped past its heartbeat', {
    timeout: 150_000,
  }, async () => {
    await using emulator = await startEmulator({
      seed: 5,
      crowd: { clients: 40, accounts: 2, transactions: 600 },
    })
    // Else the work is done before anything can happen to a worker.
    emulator.faults.add({ pattern: 'GET /**', delay: '100ms' })
    const to = await database()
    await openedMirror(to)
    const user = await psql(to)
    await user.query(watchStreams)
    const home = homeFor(emulator)
    const flags = ['--every', '1h', '--concurrency', '4']
    const rows = async (sql: string) => (await user.query(sql)).rows
    const walks = async () => Number((await rows('SELECT count(*) AS n FROM walks'))[0].n)

    const stopped = worker(home, to, ...flags)
    const leased = `SELECT kind, subject, lease FROM bankapi.streams
        WHERE kind = 'transactions' AND leased_until IS NOT NULL`
    await until(async () => (await rows(leased)).length >= 3, 'the first worker walks')
    stopped.process.kill('SIGSTOP')
    const held: { kind: string; subject: string; lease: string }[] = await rows(leased)
    const overtaken = `SELECT count(*) AS n FROM bankapi.streams
        WHERE kind = 'transactions' AND subject IN (${held.map(({ subject }) => `'${subject}'`)})
        AND lease NOT IN (${held.map(({ lease }) => `'${lease}'`)})`

    const steady = worker(home, to, ...flags)
    let killed = worker(home, to, ...flags)
    for (let kills = 0; kills < 5; kills += 1) {
      const before = await walks()
      await until(async () => (await walks()) > before + 100, 'the workers go on')
      killed.process.kill('SIGKILL')
      await killed.ended
      killed = worker(home, to, ...flags)
    }
    await until(
      async () => Number((await rows(overtaken))[0].n) === held.length,
      'others take what the stopped one held',
      60_000,
    )
    stopped.process.kill('SIGCONT')
    const done = 'SELECT 1 FROM bankapi.runs WHERE ended_at IS NOT NULL'
    await until(async () => (await rows(done)).length > 0, 'every job is done', 90_000)
    for (const { process: child } of [stopped, steady, killed]) child.kill('SIGTERM')
    const summaries = await Promise.all([stopped, steady, killed].map(summaryOf))

    expect(await rows('SELECT * FROM bankapi.runs')).toMatchObject([{ mode: 'worker', outcome: 'complete' }])
    expect(summaries[0]?.given_back).toBeGreaterThanOrEqual(1)
    expect(summaries.flatMap(({ failed }) => failed)).toEqual([])
    expect(await deadLetters(await openedMirror(to))).toEqual([])
    expect(await rows('SELECT * FROM bankapi.streams WHERE error_code IS NOT NULL')).toEqual([])
    // Nobody took a stream while another had it, and nobody wrote to one after another had taken it.
    expect(await rows('SELECT * FROM walks WHERE stolen')).toEqual([])
    const again = `SELECT w.kind, w.subject, w.lease FROM walks AS w
        WHERE EXISTS (SELECT 1 FROM walks AS b
          WHERE b.kind = w.kind AND b.subject = w.subject AND b.number < w.number AND b.lease <> w.lease
            AND EXISTS (SELECT 1 FROM walks AS a
              WHERE a.kind = w.kind AND a.subject = w.subject AND a.number < b.number AND a.lease = w.lease))`
    expect(await rows(again)).toEqual([])
    emulator.faults.clear()
    await expectEqual(to, emulator)
  })
})
