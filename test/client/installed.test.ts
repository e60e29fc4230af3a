/**
 * A project that installs @bankapi/client and @bankapi/webhooks from their tarballs: it compiles, and runs in Node, Deno and
 * Bun as docs/call-from-a-program.md shows. To update the page: BANKAPI_DOCS_WRITE=1 npm run test:only test/client/installed.test.ts
 */
import { execFile, execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Emulator, startEmulator } from '../../src/emulator.ts'
import { root } from '../support/built-program.ts'
import { freePort } from '../support/free-port.ts'
import { commandOf, runtimes, whyNoRuntimes } from '../support/runtimes.ts'

const run = promisify(execFile)
const page = join(root, 'docs/call-from-a-program.md')
const [, program = '', shown = ''] =
  /```ts\n([\s\S]*?)```[\s\S]*?```console\n\$ node link\.ts\n([\s\S]*?)```/.exec(
    readFileSync(page, 'utf8'),
  ) ?? []
const project = mkdtempSync(join(tmpdir(), 'bankapi-project-'))
let emulator: Emulator

beforeAll(async () => {
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  const tarballs = ['client', 'webhooks'].map((name) => {
    const pack = ['pack', '--silent', '--ignore-scripts', '--pack-destination', project]
    return join(
      project,
      execFileSync('npm', pack, { cwd: join(root, 'packages', name), encoding: 'utf8' }).trim(),
    )
  })
  // Neither needs another package, so nothing is fetched.
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', ...tarballs], { cwd: project })
  writeFileSync(join(project, 'link.ts'), program)
  copyFileSync(join(root, 'test/client/every-runtime.ts'), join(project, 'every-runtime.ts'))
  emulator = await startEmulator({ autoLink: '500ms', refreshDuration: '10ms' })
}, 60_000)
afterAll(async () => {
  await emulator?.stop()
  rmSync(project, { recursive: true, force: true })
})

it.each([
  ['nodenext', 'nodenext'],
  ['preserve', 'bundler'],
])('compiles under strict, its types included, with module %s', async (module, moduleResolution) => {
  symlinkSync(join(root, 'node_modules/@types'), join(project, `types-${module}`))
  const compilerOptions = {
    ...{ module, moduleResolution, target: 'es2024', lib: ['esnext'], strict: true, noEmit: true },
    ...{ exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck: false },
    ...{ types: ['node'], typeRoots: [`types-${module}`], allowImportingTsExtensions: true },
  }
  const config = join(project, `tsconfig.${module}.json`)
  writeFileSync(config, JSON.stringify({ compilerOptions, files: ['link.ts', 'every-runtime.ts'] }))
  const { stdout } = await run(join(root, 'node_modules/.bin/tsc'), ['-p', config], { cwd: project }).catch(
    (error: { stdout: string }) => error,
  )
  expect(stdout).toBe('')
})

const own = { name: 'Node', command: (): [string, ...string[]] => [process.execPath] }
const others = runtimes.map((runtime) => ({ name: runtime.name, command: () => commandOf(runtime) }))

describe.each([own, ...others])('in $name', ({ name, command }) => {
  const why = name === own.name ? undefined : whyNoRuntimes

  it('the program of the docs links, refreshes, reads and verifies a webhook', async ({ skip }) => {
    skip(why !== undefined, why)
    const port = await freePort()
    writeFileSync(join(project, `link-${port}.ts`), program.replaceAll('4001', String(port)))
    const printed = await output(command(), `link-${port}.ts`)
    if (process.env['BANKAPI_DOCS_WRITE'] === '1' && name === own.name) {
      writeFileSync(
        page,
        readFileSync(page, 'utf8').replace(shown, () => printed),
      )
    } else expect(printed).toBe(shown)
  }, 60_000)

  it('failures, files and retries are as everywhere', async ({ skip }) => {
    skip(why !== undefined, why)
    const found = JSON.parse(await output(command(), 'every-runtime.ts'))
    expect(found).toEqual({
      refused: 'UnreachableError refused',
      silent: 'UnreachableError timeout',
      aborted: 'the signal itself',
      closed: 'ClosedError',
      notFound: 'not_found',
      redirected: 'UnreadableResponseError redirect',
      statement: '%PDF',
      extracted: 'succeeded',
      retried: ['unavailable', 'ok'],
      pages: [3, 10],
    })
  }, 60_000)
})

async function output([file, ...args]: [string, ...string[]], script: string): Promise<string> {
  const { stdout } = await run(file, [...args, script], {
    cwd: project,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: project,
      BANKAPI_BASE_URL: emulator.baseUrl,
      BANKAPI_API_KEY: emulator.apiKey,
    },
  })
  return stdout
}
