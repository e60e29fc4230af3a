import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createEmulatorHome, type EmulatorHome } from '../support/emulator-process.ts'
import { busyAccount, seedTransactions } from '../support/many-transactions.ts'
import { createShell, type Shell } from '../support/shell.ts'
import { until } from '../support/until.ts'

const rows = 100_000
const list = `bankapi transactions list ${busyAccount} --all -o ndjson`
let home: EmulatorHome
let shell: Shell

beforeAll(async () => {
  const prepare = (folder: string) => seedTransactions(join(folder, 'data', 'emulator'), rows)
  home = await createEmulatorHome(['--refresh-duration', '10ms', '--refresh-budget', '1000'], prepare)
  shell = createShell(home)
})
afterAll(() => home.remove())

it('--all through 100,000 transactions is exact while rows are being added', async () => {
  const walk = shell.run(`${list} | tee walked | wc -l`)
  const walked = join(shell.folder, 'walked')
  await until(() => existsSync(walked) && statSync(walked).size > 0, 'the first rows')
  let ended = false
  void walk.then(() => {
    ended = true
  })
  let added = 0
  while (!ended) added += await refresh()
  const { code, stdout } = await walk
  expect(code).toBe(0)
  expect(added).toBeGreaterThan(0)
  const { stdout: distinct } = await shell.run(`sed 's/","account_id.*//' walked | sort -u | wc -l`)
  expect(Number(distinct)).toBe(Number(stdout))
  // All rows from before the walk, and none that were added during it.
  expect(Number(stdout)).toBe(rows)
})

it('it takes at most 1.3 times the memory of a tenth of the rows', async () => {
  const tenth = await peakKilobytes('--from 2024-12-05 --to 2025-12-31')
  expect(await peakKilobytes('')).toBeLessThan(1.3 * tenth)
})

it('the walk ends as soon as its reader leaves', async () => {
  const started = Date.now()
  const { code, stdout, stderr } = await shell.run(`${list} | head -n 3 | wc -l`)
  expect([code, stdout.trim(), stderr]).toEqual([0, '3', ''])
  expect(Date.now() - started).toBeLessThan(10_000)
})

async function call<T>(path: string, method = 'GET'): Promise<T> {
  const { base_url, api_key } = home.sandbox
  const headers = { authorization: `Bearer ${api_key}` }
  return (await fetch(base_url + path, { method, headers })).json() as Promise<T>
}

/** Adds transactions, and returns their number once they are listed. */
async function refresh(): Promise<number> {
  const count = async () =>
    (await call<{ transactions_in_period: number }>('/metrics/summary')).transactions_in_period
  const before = await count()
  const { operation_id } = await call<{ operation_id: string }>('/connections/con_FDE_123/refresh', 'POST')
  const status = async () => (await call<{ status: string }>(`/operations/${operation_id}`)).status
  await until(async () => (await status()) !== 'queued', 'the end of the refresh')
  return (await count()) - before
}

/** Peak memory, read by the process itself at its end, as `/usr/bin/time` is not available everywhere. */
async function peakKilobytes(flags: string): Promise<number> {
  const program = "process.on('exit', () => console.error(process.resourceUsage().maxRSS))"
  const { stderr } = await shell.run(`${list} ${flags} > /dev/null`, {
    env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(program)}` },
  })
  return Number(stderr.trim().split('\n').at(-1))
}
