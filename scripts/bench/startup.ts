/**
 * Measures how fast the built command starts, each case compared with `node -e 0`, in turns, so that other work on the
 * machine slows all of them alike. Cold is the first start of a command after an update, with empty caches of bytecode; warm
 * is every later one.
 *
 *   node scripts/bench.ts startup [--rounds 21] [--cold 5]
 *
 * A ratio is the median over the turns of case / `node -e 0`. The executable, when there is one in executables/, is compared
 * with `node -e 0` of the Node that is in it. Keeps the numbers in .bench-results/startup.json.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { unpackNode } from '../executable/make.ts'
import { hostTarget } from '../executable/targets.ts'
import { median } from './median.ts'
import { untilEnd, untilShown, type Words } from './startup/time.ts'

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

/** What is measured in turns. The first is what the others are compared with. */
type Cases = readonly [Case, ...Case[]]

const runs = (name: string, words: Words, goal?: number): Case => ({
  name,
  ...(goal === undefined ? {} : { goal }),
  measure: (env) => untilEnd(words, env),
})

/** `goals`: highest ratios, for the program that is installed. */
function casesOf(node: string, name: string, bankapi: Words, goals: boolean): Cases {
  const goal = (ratio: number) => (goals ? ratio : undefined)
  return [
    runs(name, [node, '-e', '0']),
    runs('bankapi --version', [...bankapi, '--version'], goal(1.3)),
    runs('bankapi --help', [...bankapi, '--help'], goal(1.5)),
    runs('bankapi connections list --help', [...bankapi, 'connections', 'list', '--help'], goal(1.5)),
    runs('bankapi config path', [...bankapi, 'config', 'path']),
    runs('bankapi clients list --json', [...bankapi, 'clients', 'list', '--json'], goal(3.5)),
    runs('bankapi clients list', [...bankapi, 'clients', 'list']),
    {
      name: 'bankapi tui, first frame',
      ...(goals ? { goal: 8 } : {}),
      measure: (env) => untilShown([...bankapi, 'tui'], env, 'Operations'),
    },
  ]
}

/** Milliseconds of `node -e 0` and of every case, for each turn. */
async function turns(
  cases: Cases,
  rounds: number,
  envOf: (round: number, name: string) => Record<string, string>,
): Promise<number[][]> {
  const times: number[][] = []
  for (let round = 0; round < rounds; round++) {
    const turn: number[] = []
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

function rowsOf(cases: Cases, warm: number[][], cold: number[][]): Row[] {
  const of = (times: number[][], index: number) => times.map((turn) => turn[index] ?? Number.NaN)
  const ratio = (times: number[][], index: number) =>
    median(times.map((turn) => (turn[index] ?? Number.NaN) / (turn[0] ?? Number.NaN)))
  return cases.map(({ name, goal }, index) => ({
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
  const measured = async (cases: Cases, caches: string) => {
    // The first two turns fill the caches, the disk's included, and do not count.
    await turns(cases, 2, () => env(`${caches}/warm`))
    const warm = await turns(cases, Number(values.rounds), () => env(`${caches}/warm`))
    const cold = await turns(cases, Number(values.cold), (round, name) => env(`${caches}/${round}/${name}`))
    const rows = rowsOf(cases, warm, cold)
    process.stdout.write(`${tableOf(rows)}${values.rounds} turns warm, ${values.cold} cold, medians\n`)
    return { rows, warm, cold }
  }
  const installed = await measured(
    casesOf(process.execPath, 'node -e 0', [process.execPath, bin], true),
    'installed',
  )
  const target = hostTarget()
  const executable = target && path(`../../executables/${target.file}`)
  let single: typeof installed | undefined
  if (target === undefined || executable === undefined || !existsSync(executable)) {
    process.stdout.write('No executable to measure here: npm run executable -- --uncompressed makes it.\n')
  } else {
    process.stdout.write(`\nThe executable, and the Node in it:\n`)
    const node = unpackNode(path('../..'), target, home)
    single = await measured(
      casesOf(node, `node -e 0, ${target.node.version}`, [executable], false),
      'executable',
    )
  }
  mkdirSync(results, { recursive: true })
  const machine = { cpus: cpus().length, model: cpus()[0]?.model, node: process.version }
  const kept = { at: new Date().toISOString(), machine, ...installed, executable: single }
  writeFileSync(join(results, 'startup.json'), `${JSON.stringify(kept, null, 2)}\n`)
  if (installed.rows.some(({ ratio, goal }) => goal !== undefined && ratio > goal)) process.exitCode = 1
} finally {
  server.kill()
  rmSync(home, { recursive: true, force: true })
}
