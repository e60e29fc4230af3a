/**
 * Compares `bankapi transactions list --all -o ndjson` with a bare undici loop that reads the same pages of the same
 * emulator, each in a separate process, in turns.
 *
 *   node scripts/bench.ts list [--rounds 7] [--rows 100000]
 *
 * Goals: at least 0.7 of the loop's rows per second, start-up included; and at most 1.3 times the peak memory of listing a
 * tenth of the rows. Keeps the numbers in .bench-results/list.json.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { busyAccount, seedTransactions } from '../../test/support/many-transactions.ts'
import { type Measured, measure } from './list/measure.ts'
import { median } from './median.ts'

const bin = fileURLToPath(new URL('../../bin/run.js', import.meta.url))
const loop = fileURLToPath(new URL('./list/bare-loop.ts', import.meta.url))
const results = fileURLToPath(new URL('../../.bench-results/', import.meta.url))

const goals = { share: 0.7, memory: 1.3 }

interface Emulator {
  readonly child: ChildProcess
  readonly sandbox: { readonly base_url: string; readonly api_key: string }
}

async function startEmulator(env: NodeJS.ProcessEnv): Promise<Emulator> {
  const args = [bin, 'emulator', 'start', '--json', '--port', '0', '--live-port', '0']
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data')
  return { child, sandbox: JSON.parse(line).sandbox }
}

interface Summary {
  readonly what: string
  readonly rows: number
  readonly ms: number
  readonly rowsPerSecond: number
  readonly peakKilobytes: number
}

function summaryOf(what: string, turns: readonly Measured[]): Summary {
  const rows = turns[0]?.rows ?? 0
  if (turns.some((turn) => turn.rows !== rows))
    throw new Error(`${what} read a different number of rows in each turn`)
  const ms = Math.round(median(turns.map((turn) => turn.ms)))
  const peakKilobytes = Math.round(median(turns.map((turn) => turn.peakKilobytes)))
  return { what, rows, ms, rowsPerSecond: Math.round((rows / ms) * 1000), peakKilobytes }
}

function report(command: Summary, loop: Summary, tenth: Summary, share: number): void {
  const memory = command.peakKilobytes / tenth.peakKilobytes
  const met = share >= goals.share && memory <= goals.memory
  const line = ({ what, rows, ms, rowsPerSecond, peakKilobytes }: Summary) =>
    `${what.padEnd(44)}${String(rows).padStart(8)}${String(ms).padStart(8)}${String(rowsPerSecond).padStart(9)}` +
    `${(peakKilobytes / 1000).toFixed(0).padStart(9)}\n`
  process.stdout.write(
    `${'median of the turns'.padEnd(44)}${'rows'.padStart(8)}${'ms'.padStart(8)}${'rows/s'.padStart(9)}${'peak MB'.padStart(9)}\n` +
      [command, loop, tenth].map(line).join('') +
      `rows per second against the loop: ${share.toFixed(2)} (goal: at least ${goals.share})\n` +
      `memory against a tenth of the rows: ${memory.toFixed(2)} (goal: at most ${goals.memory})\n`,
  )
  mkdirSync(results, { recursive: true })
  const machine = { cpus: cpus().length, model: cpus()[0]?.model, node: process.version }
  const kept = { at: new Date().toISOString(), machine, command, loop, tenth, share, memory, goals, met }
  writeFileSync(join(results, 'list.json'), `${JSON.stringify(kept, null, 2)}\n`)
  if (!met) process.exitCode = 1
}

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: { rounds: { type: 'string', default: '7' }, rows: { type: 'string', default: '100000' } },
})
const home = mkdtempSync(join(tmpdir(), 'bankapi-bench-'))
const env: NodeJS.ProcessEnv = {
  PATH: process.env['PATH'],
  HOME: home,
  BANKAPI_DATA_DIR: join(home, 'data'),
  BANKAPI_CONFIG_DIR: join(home, 'config'),
  BANKAPI_ENV: 'local',
  BANKAPI_CLIENT_ID: 'cli_demo',
}
await seedTransactions(join(home, 'data', 'emulator'), Number(values.rows))
const { child, sandbox } = await startEmulator(env)
try {
  const loopEnv = { ...env, BASE_URL: sandbox.base_url, API_KEY: sandbox.api_key, ACCOUNT: busyAccount }
  const list = [bin, 'transactions', 'list', busyAccount, '--all', '-o', 'ndjson']
  // The last days of the data: a tenth of its rows.
  const tenth = [...list, '--from', '2024-12-05', '--to', '2025-12-31']
  const turns = { command: [] as Measured[], loop: [] as Measured[], tenth: [] as Measured[] }
  for (let round = 0; round <= Number(values.rounds); round++) {
    const command = await measure(list, env)
    const bare = await measure([loop], loopEnv)
    const small = await measure(tenth, env)
    // The first turn fills the caches and does not count.
    if (round === 0) continue
    turns.command.push(command)
    turns.loop.push(bare)
    turns.tenth.push(small)
  }
  report(
    summaryOf('bankapi transactions list --all -o ndjson', turns.command),
    summaryOf('bare undici loop', turns.loop),
    summaryOf('bankapi, a tenth of the rows', turns.tenth),
    // Compared within a turn, in which other work on the machine slowed both.
    median(turns.command.map(({ ms }, turn) => (turns.loop[turn]?.ms ?? Number.NaN) / ms)),
  )
} finally {
  child.kill('SIGINT')
  await once(child, 'exit')
  rmSync(home, { recursive: true, force: true })
}
