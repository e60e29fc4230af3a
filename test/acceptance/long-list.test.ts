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

it('a walk through 100,000 transactions is exact while rows are being added', async () => {
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
  // All that were there when the walk began, and none that came while it went on.
  expect(Number(stdout)).toBe(rows)
})

it('its memory is that of a walk through a tenth of them, within 1.3', async () => {
  const tenth = await peakKilobytes('--from 2024-12-05 --to 2025-12-31')
  expect(await peakKilobytes('')).toBeLessThan(1.3 * tenth)
})

it('a reader that has enough ends the walk at once', async () => {
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

/** Brings new transactions, and returns how many when they are there. */
async function refresh(): Promise<number> {
  const count = async () =>
    (await call<{ transactions_in_period: number }>('/metrics/summary')).transactions_in_period
  const before = await count()
  const { operation_id } = await call<{ operation_id: string }>('/connections/con_FDE_123/refresh', 'POST')
  const status = async () => (await call<{ status: string }>(`/operations/${operation_id}`)).status
  await until(async () => (await status()) !== 'queued', 'the end of the refresh')
  return (await count()) - before
}

/** What the process says of itself when it ends; `/usr/bin/time` is not everywhere. */
async function peakKilobytes(flags: string): Promise<number> {
  const program = "process.on('exit', () => console.error(process.resourceUsage().maxRSS))"
  const { stderr } = await shell.run(`${list} ${flags} > /dev/null`, {
    env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(program)}` },
  })
  return Number(stderr.trim().split('\n').at(-1))
}
