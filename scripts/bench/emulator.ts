/**
 * Measures the emulator (start, reads, seeding, pages) and prints each number with its limit. Keeps them in
 * .bench-results/emulator.json.
 *
 *   npm run bench emulator -- [--clients 10000] [--rounds 9]
 *
 * Reads are compared with a bare node:http server that does the same SQLite reads, in turns. The data set has `--clients`
 * Clients with 10 accounts of 200 transactions each.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { seed } from './emulator/crowd.ts'
import { measurePages } from './emulator/pages.ts'
import { measureReads } from './emulator/reads.ts'
import { measureStart } from './emulator/start-up.ts'
import { median } from './median.ts'
import { type Line, report, say } from './report.ts'

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: { clients: { type: 'string', default: '10000' }, rounds: { type: 'string', default: '9' } },
})
const crowd = { clients: Number(values.clients), accounts: 10, transactions: 200 }
/** Large enough to have more than one page, small enough to fit into memory on both sides. */
const readCrowd = { clients: 500, accounts: 10, transactions: 200 }

const folder = mkdtempSync(join(tmpdir(), 'bankapi-bench-'))
function home(name: string): string {
  const path = join(folder, name)
  mkdirSync(path, { mode: 0o700 })
  return path
}

async function measure() {
  const homes = { emulator: home('emulator'), bare: home('bare') }
  await seed(homes.emulator, readCrowd)
  await seed(homes.bare, readCrowd)
  say('Reads, in turns…')
  const reads = await measureReads(homes, readCrowd, { rounds: Number(values.rounds), ms: 1000 })
  say('Starts…')
  const starts = { empty: await measureStart(home('empty'), 7, ['--memory']) }
  say(`Seeding ${(crowd.clients * crowd.accounts * crowd.transactions).toLocaleString('en')} transactions…`)
  const large = home('large')
  const seeding = await seed(large, crowd)
  const full = await measureStart(large, 7)
  say('Pages…')
  const pages = await measurePages(large, crowd, 500)
  return { reads, starts: { ...starts, full }, seeding, pages }
}

function linesOf({ reads, starts, seeding, pages }: Awaited<ReturnType<typeof measure>>): Line[] {
  const startLine = (what: string, times: readonly number[]): Line => ({
    what: `start to ready, ${what}`,
    measured: `${median(times).toFixed(0)} ms`,
    compared: `slowest of ${times.length}: ${Math.max(...times).toFixed(0)} ms`,
    goal: '< 1000 ms',
    met: median(times) < 1000,
  })
  return [
    ...reads.map(({ read, emulator, bare, ratio }) => ({
      what: read,
      measured: `${emulator.rate.toFixed(0)}/s, ${emulator.processor.toFixed(0)} µs cpu`,
      compared: `bare ${bare.rate.toFixed(0)}/s, ${bare.processor.toFixed(0)} µs: ${ratio.toFixed(2)} of it`,
      goal: '≥ 0.50',
      met: ratio >= 0.5,
    })),
    startLine('no data', starts.empty),
    startLine(`${seeding.rows.toLocaleString('en')} rows`, starts.full),
    {
      what: `seed ${seeding.clients.toLocaleString('en')} × ${seeding.accounts} × ${seeding.transactions}`,
      measured: `${seeding.seconds.toFixed(1)} s`,
      compared: `${(seeding.rows / seeding.seconds / 1000).toFixed(0)}k rows/s, ${seeding.gigabytes.toFixed(2)} GB`,
      goal: '< 60 s',
      met: seeding.seconds < 60,
    },
    ...pages.map(({ list, first, middle, ratio }) => ({
      what: `middle page, ${list}`,
      measured: `${middle.toFixed(3)} ms`,
      compared: `first ${first.toFixed(3)} ms: ${ratio.toFixed(2)} of it`,
      goal: '≤ 2.00',
      met: ratio <= 2,
    })),
  ]
}

try {
  await report('emulator', measure, linesOf)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
