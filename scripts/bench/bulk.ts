/**
 * Measures `connections refresh` of 50 Connections at a service that takes 100 ms for each answer: all with one command, against
 * one at a time, in turns. Both are the built program; the first comparison is with a command for each Connection, as a shell
 * loop runs them, the second with `--concurrency 1`, both without the start of the program, which a refresh of one measures.
 *
 *   npm run bench bulk -- [--rounds 5] [--loops 1]
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { median } from './median.ts'

const CONNECTIONS = 50
const LATENCY_MS = 100
const GOAL = 6

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: { rounds: { type: 'string', default: '5' }, loops: { type: 'string', default: '1' } },
})
const bin = fileURLToPath(new URL('../../bin/run.js', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'bankapi-bench-'))
const env = {
  ...process.env,
  BANKAPI_ENV: 'local',
  BANKAPI_DATA_DIR: join(folder, 'data'),
  BANKAPI_CONFIG_DIR: join(folder, 'config'),
}

function run(args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [bin, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let stdout = ''
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  return new Promise((resolve, reject) => {
    child.on('close', (code) =>
      code === 0
        ? resolve(stdout)
        : reject(new Error(`bankapi ${args.join(' ')} ended with ${code}: ${stderr}`)),
    )
  })
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return (performance.now() - started) / 1000
}

const emulator = spawn(
  process.execPath,
  [
    ...[bin, 'emulator', 'start', '--memory', '--json', '--port', '0', '--live-port', '0'],
    ...['--crowd', `${CONNECTIONS}x1x1`, '--latency', String(LATENCY_MS), '--refresh-budget', '100000'],
  ],
  { env, stdio: ['ignore', 'pipe', 'inherit'] },
)
try {
  await new Promise((resolve) => emulator.stdout.once('data', resolve))
  const listed = await run(['connections', 'list', '--all-clients', '-o', 'ndjson'])
  const ids = listed
    .trim()
    .split('\n')
    .map((line): string => JSON.parse(line).id)
    .slice(0, CONNECTIONS)
  const refresh = (chosen: readonly string[], ...flags: string[]) =>
    run(['connections', 'refresh', ...chosen, ...flags, '--json'])
  const times = {
    one: [] as number[],
    bulk: [] as number[],
    oneAtATime: [] as number[],
    loop: [] as number[],
  }
  await refresh(ids.slice(0, 2))
  for (let round = 0; round < Number(values.rounds); round++) {
    times.one.push(await secondsOf(() => refresh(ids.slice(0, 1))))
    times.bulk.push(await secondsOf(() => refresh(ids)))
    times.oneAtATime.push(await secondsOf(() => refresh(ids, '--concurrency', '1')))
    if (round < Number(values.loops)) {
      times.loop.push(
        await secondsOf(async () => {
          for (const id of ids) await refresh([id])
        }),
      )
    }
  }
  const bulk = median(times.bulk)
  const start = median(times.one)
  const oneAtATime = median(times.oneAtATime)
  const lines = [
    ['a command for each', median(times.loop), median(times.loop) / bulk],
    ['--concurrency 1, starts aside', oneAtATime, (oneAtATime - start) / (bulk - start)],
  ] as const
  process.stdout.write(
    `${ids.length} refreshes, ${LATENCY_MS} ms an answer, one command: ${bulk.toFixed(2)} s\n`,
  )
  for (const [name, seconds, ratio] of lines) {
    const met = ratio >= GOAL
    process.stdout.write(
      `${name}: ${seconds.toFixed(2)} s, ${ratio.toFixed(1)} times as long  ≥ ${GOAL}  ${met ? 'met' : 'MISSED'}\n`,
    )
    if (!met) process.exitCode = 1
  }
} finally {
  emulator.kill('SIGTERM')
  await new Promise((resolve) => emulator.on('close', resolve))
  rmSync(folder, { recursive: true, force: true })
}
