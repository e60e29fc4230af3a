/**
 * `npm test`: runs every check one after the other and stops at the first that fails. The last line is `N passed, N failed`
 * (and `, N skipped` when there are any) with the numbers of vitest; a failing step counts as one failed. With
 * BANKAPI_TEST_NO_SKIP=1 a skipped test is a failure. Arguments go to vitest, which runs the tests in a random order: the
 * seed is printed before and after, and `--sequence.seed=N` repeats its order.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { shuffled } from './test/order.ts'

interface Counts {
  passed: number
  failed: number
  skipped: number
}

/** The fields read from vitest's JSON report. */
interface Report {
  testResults: {
    name: string
    status: string
    message: string
    assertionResults: { fullName: string; status: string }[]
  }[]
}

const root = fileURLToPath(new URL('..', import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), 'bankapi-test-'))
const reportFile = join(scratch, 'report.json')

/** Scripts of package.json. */
const checks: [step: string, script: string, ...args: string[]][] = [
  ['lint and format', 'lint'],
  ['types', 'typecheck'],
  ['architecture', 'arch'],
  ['dead code', 'knip'],
  ['build and manifest', 'build', '--check'],
]

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Runs a script of package.json with `node --run`, which finds a shell on Windows, too. Its output is shown as it comes. */
function run(step: string, script: string, args: string[]): boolean {
  say(`\n── ${step}: ${['npm run', script, ...(args.length > 0 ? ['--', ...args] : [])].join(' ')}`)
  const { status, error } = spawnSync(process.execPath, ['--run', script, '--', ...args], {
    cwd: root,
    stdio: 'inherit',
  })
  if (error) say(String(error))
  return status === 0
}

/** Counts the tests; a file that could not be loaded counts as one failed. */
function count(report: Report): Counts {
  const counts: Counts = { passed: 0, failed: 0, skipped: 0 }
  for (const file of report.testResults) {
    const before = counts.failed
    for (const test of file.assertionResults) {
      if (test.status === 'passed') counts.passed++
      else if (test.status === 'failed') counts.failed++
      else {
        counts.skipped++
        say(`skipped: ${test.fullName} (${file.name.replace(root, '')})`)
      }
    }
    if (file.status === 'failed' && counts.failed === before) counts.failed++
  }
  return counts
}

function runTests(args: string[]): Counts {
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`]
  const order = shuffled(args)
  say(`\n${order.hint}`)
  const ok = run('tests', 'test:only', [...reporters, ...order.args])
  say(order.hint)
  let counts: Counts
  try {
    counts = count(JSON.parse(readFileSync(reportFile, 'utf8')) as Report)
  } catch (error) {
    say(`vitest left no report: ${error}`)
    counts = { passed: 0, failed: 1, skipped: 0 }
  }
  // An unhandled rejection fails the run without failing a test.
  if (!ok && counts.failed === 0) counts.failed = 1
  return counts
}

function runAll(args: string[]): Counts {
  for (const [step, script, ...scriptArgs] of checks) {
    if (run(step, script, scriptArgs)) continue
    say(`\nStopped: the step "${step}" failed, the steps after it did not run.`)
    return { passed: 0, failed: 1, skipped: 0 }
  }
  const counts = runTests(args)
  if (counts.failed > 0) say('\nStopped: the step "tests" failed.')
  if (counts.skipped > 0 && process.env['BANKAPI_TEST_NO_SKIP'] === '1') {
    say(`\nStopped: ${counts.skipped} skipped, and BANKAPI_TEST_NO_SKIP=1 allows none.`)
    counts.failed += counts.skipped
    counts.skipped = 0
  }
  return counts
}

const { passed, failed, skipped } = runAll(process.argv.slice(2))
rmSync(scratch, { recursive: true, force: true })
say(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
process.exitCode = failed > 0 || passed === 0 ? 1 : 0
