/**
 * `npm run mutation [MODULE|FILE...]`: changes the code in one place after another, and runs the tests that cover the
 * place. Prints each change that no test noticed, and the score of each file. docs/testing.md says how to read it.
 * `-- --workers=1` leaves a processor free. After an hour, or `--minutes`, it begins nothing new; the next run goes on there.
 */

import { glob } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { relative, sep } from 'node:path'
import { parseArgs } from 'node:util'
import { Stryker } from '@stryker-mutator/core'

type StrykerOptions = ConstructorParameters<typeof Stryker>[0]
type MutantResult = Awaited<ReturnType<Stryker['runMutationTest']>>[number]

interface Module {
  /** What is changed. */
  readonly code: string
  /**
   * Test files without their `.test.ts`, or folders of them; fast ones first. A mutant is active in the process of the
   * tests, so tests of the built program and of other processes would see nothing of it.
   */
  readonly tests: readonly string[]
  /** Each file of tests has a thread of its own: what they leave in the memory of the module would disturb the next. */
  readonly isolate?: true
  /** Also changes what runs while a file is loaded: constants, expressions, tables. Each such mutant runs every test. */
  readonly constants: boolean
  /** Files that must reach the goal together. */
  readonly decisive: RegExp
}

/** Per cent. */
const GOAL = 80

const FILES_OF_PART = 5

const all = /^/
const none = /^$/

const modules: Readonly<Record<string, Module>> = {
  signing: {
    code: 'src/signing/',
    tests: ['src/signing/', 'test/golden/'],
    constants: true,
    decisive: all,
  },
  secrets: {
    code: 'src/secrets/',
    tests: ['src/secrets/'],
    isolate: true,
    constants: true,
    decisive: all,
  },
  inbox: {
    code: 'src/inbox/',
    tests: [
      ...['inbox-error', 'connection', 'inbox', 'delivery-rows', 'operations', 'batch'].map(
        (name) => `src/inbox/${name}`,
      ),
      'src/inbox/',
    ],
    constants: false,
    decisive: all,
  },
  listener: {
    code: 'src/listener/',
    tests: [
      'src/listener/',
      // The others start a receiver written in Python for each test.
      ...['decisions', 'lifetime', 'answers', 'inbox-trouble', 'explaining', 'overload', 'hostile'].map(
        (name) => `test/listener/${name}`,
      ),
    ],
    constants: false,
    decisive: all,
  },
  api: {
    code: 'src/api/',
    tests: [
      'src/api/',
      ...[
        'failures',
        'retries',
        'requests',
        'pages',
        'answers',
        'raw',
        'debug-log',
        'files',
        'hostile',
        'proxy',
      ].map((name) => `test/api/${name}`),
    ],
    constants: false,
    // Retries and redirects.
    decisive: /\/(?:retry|attempt)\.ts$/,
  },
  workflows: { code: 'src/workflows/', tests: ['src/workflows/'], constants: true, decisive: none },
  engine: {
    code: 'src/emulator/engine/',
    tests: [
      'src/emulator/engine/',
      ...[
        'refresh',
        'linking',
        'connection-states',
        'transactions',
        'deliveries',
        'access',
        'day',
        'bad-input',
        'bank',
        'hosted-pages',
        'files',
        'mcp-pairing',
      ].map((name) => `test/emulator/${name}`),
      'test/emulator/settings-portal-metrics',
    ],
    constants: false,
    decisive: none,
  },
}

/** Two run in a process or a thread of their own, where no mutant is active; the third needs a PostgreSQL server. */
const notMutated = [
  'src/secrets/keychain-process.ts',
  'src/listener/diagnosis-thread.ts',
  'src/inbox/postgres/**/*.ts',
]

/** Those of a module that are changed, a few at a time: between two of these parts a run can end. */
async function partsOf({ code }: Module, asked: readonly string[]): Promise<string[][]> {
  const exclude = [`${code}**/*.test.ts`, `${code}**/*.d.ts`, ...notMutated]
  const files = (await Array.fromAsync(glob(`${code}**/*.ts`, { exclude })))
    .map((file) => file.replaceAll(sep, '/'))
    .filter((file) => asked.length === 0 || asked.some((one) => file.startsWith(one)))
    .sort()
  return Array.from({ length: Math.ceil(files.length / FILES_OF_PART) }, (_, part) =>
    files.slice(part * FILES_OF_PART, (part + 1) * FILES_OF_PART),
  )
}

function optionsFor(name: string, { constants }: Module, mutate: string[]): StrykerOptions {
  return {
    mutate,
    testRunner: 'vitest',
    // A thread ends with its process: a mutant that never returns leaves nothing behind.
    vitest: { configFile: 'scripts/mutation/vitest.config.ts', pool: 'threads' },
    coverageAnalysis: 'perTest',
    ignoreStatic: !constants,
    plugins: ['@stryker-mutator/vitest-runner', './scripts/mutation/sentences.ts'],
    ignorers: ['sentences'],
    ignorePatterns: ['dist', 'dist.tmp-*', '.test-results', '.bench-results', 'test/arch/fixtures', '*.log'],
    concurrency,
    // A change whose code and tests are as they were in the last run keeps its result.
    incremental: true,
    incrementalFile: `reports/mutation/${name}.json`,
    reporters: ['html', 'progress-append-only'],
    htmlReporter: { fileName: `reports/mutation/${name}.html` },
    allowConsoleColors: false,
  }
}

interface Score {
  detected: number
  lost: number
}

/** Detected of those that some test could have detected; a mutant that hangs is detected. */
function percent({ detected, lost }: Score): number {
  return detected + lost === 0 ? 100 : (detected / (detected + lost)) * 100
}

function count(mutants: readonly MutantResult[]): Score {
  const having = (...statuses: string[]) => mutants.filter(({ status }) => statuses.includes(status)).length
  return { detected: having('Killed', 'Timeout'), lost: having('Survived', 'NoCoverage') }
}

/** Prints what survived and the scores. Returns whether the decisive files have reached the goal. */
function report(name: string, { code, decisive }: Module, results: readonly MutantResult[]): boolean {
  const byFile = Map.groupBy(results, ({ fileName }) => relative('.', fileName))
  const lines: string[] = []
  for (const [file, mutants] of [...byFile].sort()) {
    for (const { status, location, mutatorName, replacement } of mutants) {
      if (status !== 'Survived' && status !== 'NoCoverage') continue
      const where = `${file}:${location.start.line}:${location.start.column + 1}`
      const change = (replacement ?? '').replaceAll(/\s+/g, ' ').slice(0, 100)
      say(`${where}  ${status === 'Survived' ? 'survived' : 'not run'}  ${mutatorName}  ${change}`)
    }
    const score = count(mutants)
    if (score.detected + score.lost === 0) continue
    lines.push(row(file.replace(code, ''), score))
  }
  say('', row(name, count(results)), ...lines.map((line) => `  ${line}`), '')
  const reached = percent(count(results.filter(({ fileName }) => decisive.test(fileName)))) >= GOAL
  if (!reached) say(`${name} is below ${GOAL} %.`)
  return reached
}

function row(name: string, score: Score): string {
  return `${name.padEnd(28)} ${percent(score).toFixed(1).padStart(5)} %  ${score.detected} detected, ${score.lost} not`
}

function say(...lines: string[]): void {
  for (const line of lines) process.stdout.write(`${line}\n`)
}

const { values, positionals } = parseArgs({
  options: {
    workers: { type: 'string', default: String(availableParallelism()) },
    minutes: { type: 'string', default: '60' },
  },
  allowPositionals: true,
})
const concurrency = Number(values.workers)
const asked = (name: string, { code }: Module): boolean =>
  positionals.length === 0 || positionals.some((argument) => argument === name || argument.startsWith(code))
const unknown = positionals.filter(
  (argument) =>
    !Object.entries(modules).some(([name, { code }]) => argument === name || argument.startsWith(code)),
)
if (unknown.length > 0) {
  process.stderr.write(`No module: ${unknown.join(', ')}. There are ${Object.keys(modules).join(', ')}\n`)
  process.exit(2)
}
const ends = Date.now() + Number(values.minutes) * 60_000
for (const [name, module] of Object.entries(modules).filter(([name, module]) => asked(name, module))) {
  process.env['BANKAPI_MUTATION_TESTS'] = module.tests
    .map((test) => (test.endsWith('/') ? `${test}**/*.test.ts` : `${test}.test.ts`))
    .join(',')
  process.env['BANKAPI_MUTATION_ISOLATE'] = module.isolate ? 'yes' : 'no'
  const results: MutantResult[] = []
  const left: string[] = []
  for (const files of await partsOf(
    module,
    positionals.filter((argument) => argument !== name),
  )) {
    if (Date.now() >= ends) {
      left.push(...files)
      continue
    }
    const found = await new Stryker(optionsFor(name, module, files)).runMutationTest()
    // Those of other files are of earlier runs.
    results.push(
      ...found.filter(({ fileName }) => files.includes(relative('.', fileName).replaceAll(sep, '/'))),
    )
  }
  if (!report(name, module, results)) process.exitCode = 1
  if (left.length > 0)
    say(`Not reached in time: ${left.join(' ')}. The next run keeps what this one found, and goes on.`, '')
}
