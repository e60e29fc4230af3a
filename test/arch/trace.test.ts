/** Traces one command and compares the files it passes with the list in docs/layout.md. */
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { startEmulator } from '../../src/emulator/start.ts'
import { temporaryFolder } from '../support/machine.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The files of the numbered table, in order. */
function listed(): string[] {
  const page = readFileSync(join(root, 'docs/layout.md'), 'utf8')
  const section = page.slice(page.indexOf('## One command, file by file'))
  return [...section.matchAll(/^\| \d+ \| `([^`]+)`/gm)].map(([, file = '']) => file)
}

/** The files on the call stack when a request was sent or the result written, each once, in the order of their first call. */
async function traced(): Promise<string[]> {
  const { sandbox, stop } = await startEmulator({ port: 0, livePort: 0, memory: true })
  onTestFinished(stop)
  const folder = temporaryFolder()
  const trace = join(folder, 'trace')
  const args = ['connections', 'refresh', 'con_FDE_123', '--wait', '--json']
  await promisify(execFile)(
    process.execPath,
    ['--import', join(root, 'test/arch/trace-preload.mjs'), join(root, 'bin/dev.js'), ...args],
    {
      env: {
        TRACE_FILE: trace,
        HOME: folder,
        BANKAPI_CONFIG_DIR: join(folder, 'config'),
        BANKAPI_DATA_DIR: join(folder, 'data'),
        BANKAPI_BASE_URL: sandbox.base_url,
        BANKAPI_API_KEY: sandbox.api_key,
      },
    },
  )
  const stacks = readFileSync(trace, 'utf8').trim().split('\n')
  const files = stacks.flatMap((line) => JSON.parse(line) as string[])
  // The built program starts in run.js, the sources in dev.js.
  return [...new Set(files)].map((file) => file.replace(/dev\.js$/, 'run.js'))
}

it('connections refresh --wait --json passes through the files that docs/layout.md lists, at most 12', async () => {
  const list = listed()
  expect(list.length).toBeLessThanOrEqual(12)
  expect(list.filter((file) => !existsSync(join(root, file)))).toEqual([])
  const passed = await traced()
  expect(passed.length).toBeGreaterThan(6)
  expect(list.filter((file) => passed.includes(file))).toEqual(passed)
  // The command's own file only returns a promise, and so is on no stack.
  expect(list.filter((file) => !passed.includes(file))).toEqual(['src/commands/connections/refresh.ts'])
})
