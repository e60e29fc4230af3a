/**
 * Measures the memory of the built program: the peak of commands, and what servers use once they are ready, each compared
 * with `node -e 0` in the same run. Linux only, as it reads /proc.
 *
 *   node scripts/bench.ts memory [--rounds 5]
 *
 * Keeps the numbers in .bench-results/memory.json. Memory that grows with the work is measured by `bench list` (a long list)
 * and `bench listen -- --memory 100000` (many deliveries).
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { openPty } from '../../test/tui/pty-screen.ts'
import { measure } from './list/measure.ts'
import { median } from './median.ts'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))
const bin = path('../../bin/run.js')
const results = path('../../.bench-results/')
/** Time a server has to settle before it is measured. */
const SETTLING_MS = 1000

type Env = Record<string, string>

/** Resident memory of a process, in kilobytes. */
function residentKilobytes(pid: number | undefined): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
}

const peak = (args: readonly string[]) => async (env: Env) => (await measure(args, env)).peakKilobytes

const heldBy = (args: readonly string[]) => async (env: Env) => {
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    await once(child.stdout, 'data')
    await wait(SETTLING_MS)
    return residentKilobytes(child.pid)
  } finally {
    await ended(child)
  }
}

async function heldByTui(env: Env): Promise<number> {
  const screen = openPty({ command: process.execPath, args: [bin, 'tui'], env, columns: 100, lines: 30 })
  await screen.until((text) => text.includes('Operations'), 'the first frame')
  await wait(SETTLING_MS)
  const kilobytes = residentKilobytes(screen.pid)
  screen.kill('SIGKILL')
  await screen.exited
  return kilobytes
}

async function ended(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}

const cases: readonly { readonly name: string; kilobytes(env: Env): Promise<number> }[] = [
  { name: 'node -e 0', kilobytes: peak(['-e', '0']) },
  { name: 'bankapi --help', kilobytes: peak([bin, '--help']) },
  { name: 'bankapi clients list --json', kilobytes: peak([bin, 'clients', 'list', '--json']) },
  {
    name: 'bankapi webhooks listen, ready',
    kilobytes: heldBy([bin, 'webhooks', 'listen', '--json', '--port', '0']),
  },
  {
    name: 'bankapi emulator start, ready',
    kilobytes: heldBy([
      ...[bin, 'emulator', 'start', '--json', '--memory', '--port', '0', '--live-port', '0'],
    ]),
  },
  { name: 'bankapi tui, first frame', kilobytes: heldByTui },
]

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: { rounds: { type: 'string', default: '5' } },
})
const home = mkdtempSync(join(tmpdir(), 'bankapi-bench-'))
const server = spawn(process.execPath, [path('./startup/one-page-server.ts')], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
try {
  const [line] = (await once(server.stdout.setEncoding('utf8'), 'data')) as [string]
  const env: Env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    BANKAPI_CONFIG_DIR: join(home, 'config'),
    BANKAPI_DATA_DIR: join(home, 'data'),
    BANKAPI_BASE_URL: line.trim(),
    BANKAPI_API_KEY: 'sk_test_bench',
    BANKAPI_WEBHOOK_SECRET: 'whsec_bench',
    XDG_CACHE_HOME: join(home, 'cache'),
  }
  const turns: number[][] = []
  for (let round = 0; round <= Number(values.rounds); round++) {
    const turn: number[] = []
    for (const one of cases) turn.push(await one.kilobytes(env))
    // The first turn fills the compile cache and does not count.
    if (round > 0) turns.push(turn)
  }
  const rows = cases.map(({ name }, index) => {
    const kilobytes = median(turns.map((turn) => turn[index] ?? Number.NaN))
    return { name, kilobytes, ratio: median(turns.map((turn) => (turn[index] ?? 0) / (turn[0] ?? 1))) }
  })
  const lines = rows.map(
    ({ name, kilobytes, ratio }) =>
      `${name.padEnd(34)}${(kilobytes / 1000).toFixed(0).padStart(6)}${ratio.toFixed(2).padStart(8)}`,
  )
  process.stdout.write(
    `${''.padEnd(34)}${'MB'.padStart(6)}${'ratio'.padStart(8)}\n${lines.join('\n')}\n${values.rounds} turns, medians\n`,
  )
  mkdirSync(results, { recursive: true })
  const machine = { cpus: cpus().length, model: cpus()[0]?.model, node: process.version }
  writeFileSync(
    join(results, 'memory.json'),
    `${JSON.stringify({ at: new Date().toISOString(), machine, rows, turns }, null, 2)}\n`,
  )
} finally {
  await ended(server)
  rmSync(home, { recursive: true, force: true })
}
