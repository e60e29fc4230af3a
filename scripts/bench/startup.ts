/**
 * Measures how fast the built command starts, each case compared with `node -e 0`, in turns, so that other work on the
 * machine slows all of them alike. Cold is the first start of a command after an update, with empty caches of bytecode; warm
 * is every later one.
 *
 *   node scripts/bench.ts startup [--rounds 21] [--cold 5]
 *
 * A ratio is the median over the turns of case / `node -e 0`. Keeps the numbers in .bench-results/startup.json.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { median } from './median.ts'
import { untilEnd, untilShown } from './startup/time.ts'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))
const bin = path('../../bin/run.js')
const results = path('../../.bench-results/')

interface Case {
  readonly name: string
  /** Highest ratio to `node -e 0`, warm. */
  readonly goal?: number
  /** Milliseconds of one start. */
  measure(env: Record<string, string>): number | Promise<number>
}

const runs = (name: string, args: readonly string[], goal?: number): Case => ({
  name,
  ...(goal === undefined ? {} : { goal }),
  measure: (env) => untilEnd(args, env),
})

const baseline = runs('node -e 0', ['-e', '0'])
const cases: readonly Case[] = [
  runs('bankapi --version', [bin, '--version'], 1.3),
  runs('bankapi --help', [bin, '--help'], 1.5),
  runs('bankapi connections list --help', [bin, 'connections', 'list', '--help'], 1.5),
  runs('bankapi config path', [bin, 'config', 'path']),
  runs('bankapi clients list --json', [bin, 'clients', 'list', '--json'], 3.5),
  runs('bankapi clients list', [bin, 'clients', 'list']),
  {
    name: 'bankapi tui, first frame',
    goal: 8,
    measure: (env) => untilShown([bin, 'tui'], env, 'Operations'),
  },
]

/** Milliseconds of `node -e 0` and of every case, for each turn. */
async function turns(
  rounds: number,
  envOf: (round: number, name: string) => Record<string, string>,
): Promise<number[][]> {
  const times: number[][] = []
  for (let round = 0; round < rounds; round++) {
    const turn = [await baseline.measure(envOf(round, baseline.name))]
    for (const one of cases) turn.push(await one.measure(envOf(round, one.name)))
    times.push(turn)
  }
  return times
}

interface Row {
  readonly name: string
  readonly ms: number
  readonly ratio: number
  readonly coldMs: number
  readonly coldRatio: number
  readonly goal: number | undefined
}

function rowsOf(warm: number[][], cold: number[][]): Row[] {
  const of = (times: number[][], index: number) => times.map((turn) => turn[index] ?? Number.NaN)
  const ratio = (times: number[][], index: number) =>
    median(times.map((turn) => (turn[index] ?? Number.NaN) / (turn[0] ?? Number.NaN)))
  return [baseline, ...cases].map(({ name, goal }, index) => ({
    name,
    ms: median(of(warm, index)),
    ratio: ratio(warm, index),
    coldMs: median(of(cold, index)),
    coldRatio: ratio(cold, index),
    goal,
  }))
}

function tableOf(rows: readonly Row[]): string {
  const cells = rows.map(({ name, ms, ratio, coldMs, coldRatio, goal }) => [
    name,
    ms.toFixed(1),
    ratio.toFixed(2),
    goal === undefined ? '' : `≤ ${goal.toFixed(1)} ${ratio <= goal ? 'met' : 'MISSED'}`,
    coldMs.toFixed(1),
    coldRatio.toFixed(2),
  ])
  const head = ['', 'warm ms', 'ratio', 'goal', 'cold ms', 'ratio']
  const widths = head.map((_, column) =>
    Math.max(...[head, ...cells].map((row) => (row[column] ?? '').length)),
  )
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) =>
        column === 0 || column === 3 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd()
  return `${[head, ...cells].map(line).join('\n')}\n`
}

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: { rounds: { type: 'string', default: '21' }, cold: { type: 'string', default: '5' } },
})
const home = mkdtempSync(join(tmpdir(), 'bankapi-bench-'))
const server = spawn(process.execPath, [path('./startup/one-page-server.ts')], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
try {
  const [line] = (await once(server.stdout.setEncoding('utf8'), 'data')) as [string]
  const env = (cache: string) => ({
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    BANKAPI_CONFIG_DIR: join(home, 'config'),
    BANKAPI_DATA_DIR: join(home, 'data'),
    BANKAPI_BASE_URL: line.trim(),
    BANKAPI_API_KEY: 'sk_test_bench',
    XDG_CACHE_HOME: join(home, cache),
  })
  // The first two turns fill the caches, the disk's included, and do not count.
  await turns(2, () => env('warm'))
  const warm = await turns(Number(values.rounds), () => env('warm'))
  const cold = await turns(Number(values.cold), (round, name) => env(`cold/${round}/${name}`))
  const rows = rowsOf(warm, cold)
  process.stdout.write(`${tableOf(rows)}${values.rounds} turns warm, ${values.cold} cold, medians\n`)
  mkdirSync(results, { recursive: true })
  const machine = { cpus: cpus().length, model: cpus()[0]?.model, node: process.version }
  const kept = { at: new Date().toISOString(), machine, rows, warm, cold }
  writeFileSync(join(results, 'startup.json'), `${JSON.stringify(kept, null, 2)}\n`)
  if (rows.some(({ ratio, goal }) => goal !== undefined && ratio > goal)) process.exitCode = 1
} finally {
  server.kill()
  rmSync(home, { recursive: true, force: true })
}
