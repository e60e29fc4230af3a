/**
 * Starts a Postgres for one test file, on a free port in a temporary folder, as a user that is not root. It is removed after the
 * last test.
 *
 *     const missing = whyNoPostgres()
 *     describe.skipIf(missing !== undefined)(`… ${missing ?? ''}`, async () => {
 *       const postgres = await postgresServer()
 *       test('…', async () => open(await postgres.database()))
 *     })
 */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { afterAll } from 'vitest'
import { freePort } from './free-port.ts'
import { until } from './until.ts'

export interface PostgresServer {
  readonly port: number
  /** Creates an empty database and returns its address. */
  database(): Promise<string>
  /** `immediate` is the end that a crash makes; `fast` lets running statements be rolled back. */
  stop(mode?: 'fast' | 'immediate'): Promise<void>
  /** Starts it again, on the same port with the same data. */
  start(): Promise<void>
  /** Removes it earlier than the end of the test file. */
  remove(): Promise<void>
}

const DEBIAN = '/usr/lib/postgresql'

/**
 * A sentence that says why these tests cannot run here; undefined when they can. With BANKAPI_TEST_NO_SKIP=1 it throws
 * instead.
 */
export function whyNoPostgres(): string | undefined {
  if (programs() !== undefined) return undefined
  const reason = `no Postgres below ${DEBIAN} (apt-get install postgresql)`
  if (process.env['BANKAPI_TEST_NO_SKIP'] === '1') throw new Error(`No Postgres to test with: ${reason}`)
  return reason
}

/** The folder of initdb and postgres, of the newest version that is installed. */
function programs(): string | undefined {
  if (!existsSync(DEBIAN)) return undefined
  return readdirSync(DEBIAN)
    .sort((one, other) => Number(other) - Number(one))
    .map((version) => join(DEBIAN, version, 'bin'))
    .find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')))
}

let running: Promise<PostgresServer> | undefined
// Here, where the file that imports this is collected: a call within a test or a hook would come too late.
afterAll(async () => (await running)?.remove())

/** The server of this test file: started by the first call. */
export function postgresServer(): Promise<PostgresServer> {
  running ??= startServer()
  return running
}

/** Both refuse to run as root. */
function owner(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const idOf = (flag: string, user: string) => Number(execFileSync('id', [flag, user], { encoding: 'utf8' }))
  const user = ['postgres', 'nobody'].find((name) => {
    try {
      return idOf('-u', name) > 0
    } catch {
      return false
    }
  })
  if (user === undefined) throw new Error('There is no user postgres or nobody to run Postgres as.')
  return { uid: idOf('-u', user), gid: idOf('-g', user) }
}

async function startServer(): Promise<PostgresServer> {
  const bin = programs()
  if (bin === undefined) throw new Error(whyNoPostgres())
  const port = await freePort()
  const user = owner()
  const folder = mkdtempSync(join(tmpdir(), 'bankapi-postgres-'))
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid)
  chmodSync(folder, 0o700)
  const data = join(folder, 'data')
  // Not the working directory of the tests, which that user may not read.
  const place = { cwd: folder, env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' }, ...user }
  await promisify(execFile)(
    join(bin, 'initdb'),
    ['-D', data, '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--locale=C', '--no-sync'],
    place,
  )
  let server: ChildProcess | undefined
  let databases = 0
  const log: string[] = []

  /** What a server has to be even if the worker of the tests ends early. */
  const kill = () => {
    server?.kill('SIGQUIT')
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
  process.once('exit', kill)

  async function start(): Promise<void> {
    const child = spawn(
      join(bin as string, 'postgres'),
      // The disk is never lost in these tests, only processes.
      [
        '-D',
        data,
        '-h',
        '127.0.0.1',
        '-p',
        String(port),
        '-k',
        '',
        '-c',
        'fsync=off',
        '-c',
        'max_connections=200',
      ],
      { ...place, stdio: ['ignore', 'ignore', 'pipe'] },
    )
    server = child
    child.stderr?.setEncoding('utf8').on('data', (text: string) => log.push(text))
    await until(
      async () => {
        if (child.exitCode !== null) throw new Error(`Postgres ended: ${log.join('')}`)
        return (await accepts(port)) && (await answers(port))
      },
      `Postgres accepts connections: ${log.join('')}`,
    )
  }

  async function stop(mode: 'fast' | 'immediate' = 'fast'): Promise<void> {
    const child = server
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill(mode === 'fast' ? 'SIGINT' : 'SIGQUIT')
    await ended
  }

  await start()
  return {
    port,
    async database() {
      const name = `test_${++databases}`
      const client = new Client({
        host: '127.0.0.1',
        port,
        user: 'postgres',
        database: 'postgres',
        ssl: false,
      })
      await client.connect()
      try {
        await client.query(`CREATE DATABASE ${name}`)
      } finally {
        await client.end()
      }
      return `postgres://postgres@127.0.0.1:${port}/${name}`
    },
    stop,
    start,
    async remove() {
      await stop('immediate')
      process.off('exit', kill)
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

/** Ends the sessions that keep other runs out of a mirror, as a lost connection does. Returns how many there were. */
export async function endClaims(to: string): Promise<number> {
  const client = new Client({ connectionString: to, ssl: false })
  await client.connect()
  try {
    const { rowCount } = await client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database
       WHERE locktype = 'advisory' AND granted AND datname = current_database()`,
    )
    return rowCount ?? 0
  } finally {
    await client.end()
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => socket.end(() => resolve(true)))
    socket.once('error', () => resolve(false))
  })
}

/** A server that still recovers accepts connections and refuses them then. */
async function answers(port: number): Promise<boolean> {
  const client = new Client({ host: '127.0.0.1', port, user: 'postgres', database: 'postgres', ssl: false })
  client.on('error', () => {})
  try {
    await client.connect()
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}
