/**
 * Runs the console blocks of README.md and docs/real-service.md in order on one emulator: each command has to succeed and to
 * print lines of the shape shown. Ids, times, amounts and ports may differ.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createHome, type Home, type Started } from '../support/cli.ts'
import { freePort } from '../support/free-port.ts'
import { type Receiver, receiver } from '../support/http-receiver.ts'
import { createShell, type Shell } from '../support/shell.ts'
import { keys, openTerminal } from '../support/terminal.ts'
import { consoleCommands, type ShownCommand, sameShape } from './shown-output.ts'

const pages = ['README.md', 'docs/real-service.md'].map((file) =>
  readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8'),
)
const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  scripts: Record<string, string>
}

let home: Home
let shell: Shell
let target: Receiver
/** Variables set by the README's `export` lines. */
const exported: Record<string, string> = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent' }
let base: { readonly base_url: string; readonly api_key: string }

beforeAll(async () => {
  home = createHome({ keep: true })
  shell = createShell(home)
  target = await receiver()
  // Stands in for the end-user: finishes every link that is opened in the browser.
  const user = `op=$(bankapi operations list --limit 1 --jq '.data[0].id')
    bankapi emulator link "$(bankapi operations get "$op" --jq .result.connection.id)"`
  const opener = join(home.folder, 'bin', 'xdg-open')
  writeFileSync(opener, `#!/bin/sh\n${user}\n`)
  chmodSync(opener, 0o755)
})
afterAll(async () => {
  await home.remove()
  await target.close()
})

const words = (line: string) => line.split(' ').slice(1)

/** Runs a line in a terminal and types `typed.text` once it shows `typed.at`. */
async function inTerminal(
  line: string,
  typed?: { readonly at: RegExp; readonly text: string },
): Promise<string> {
  // Wide enough for a line of JSON; tables are cut to the usual width.
  const columns = line.includes('--json') ? 1000 : 100
  const terminal = openTerminal(shell, line, { columns, env: exported })
  if (typed !== undefined) {
    await terminal.sees(typed.at)
    terminal.type(`${typed.text}${keys.enter}`)
  }
  const { code, screen } = await terminal.ended
  if (code !== 0) throw new Error(`${line} ended with ${code}:\n${screen}`)
  return screen
}

/** The output of a command that keeps running, once it has as many lines as the README shows. */
async function printed(started: Started, lines: number): Promise<string> {
  const enough = () => started.stdout().split('\n').length > lines
  await started.line(enough)
  return started.stdout()
}

async function placeholder(): Promise<string> {
  const line = 'bankapi connections initiate --institution ins_a_ok --wait --jq .result.connection.id'
  const { stdout, stderr } = await shell.run(line, { env: exported })
  if (!stdout.startsWith('con_')) throw new Error(`no placeholder: ${stderr}`)
  return stdout.trim()
}

/** How to run each command, with replacements for what only a reader's machine has. */
const runners: readonly (readonly [RegExp, (shown: ShownCommand) => Promise<string>])[] = [
  [
    /^npm /,
    // Demo, tests and installation have tests of their own; here only their scripts have to exist.
    async ({ line }) => {
      const named = [...line.matchAll(/npm run ([\w:]+)|npm (test|start)\b/g)]
      for (const [, run, own] of named) expect(scripts).toHaveProperty([run ?? own ?? ''])
      return ''
    },
  ],
  [
    /^export /,
    async ({ line }) => {
      for (const [, name = '', value = ''] of line.matchAll(/(\w+)=(\S+)/g)) exported[name] = value
      return ''
    },
  ],
  [
    /^bankapi emulator start/,
    async ({ line, output }) => {
      const started = home.start([...words(line), '--port', '0', '--live-port', '0'])
      const text = await printed(started, output.length)
      const file = join(home.folder, 'data', 'emulator', 'running.json')
      base = JSON.parse(readFileSync(file, 'utf8')).sandbox
      return text
    },
  ],
  [
    /^bankapi webhooks listen .*localhost:3000/,
    async ({ line, output }) => {
      const { port } = new URL(target.url)
      const forward = line.replace('localhost:3000', `localhost:${port}`)
      const started = home.start([...words(forward), '--port', String(await freePort())], { env: exported })
      await started.line((text) => text.startsWith('Ready'))
      // The README shows the delivery of a bank that the reader links.
      await shell.run(`bankapi emulator link ${await placeholder()}`, { env: exported })
      await printed(started, output.length)
      await started.line((text) => text.includes('<-- 200') && started.stdout().includes('connection.active'))
      started.process.kill('SIGINT')
      return (await started.ended).stdout.replaceAll(`localhost:${port}`, 'localhost:3000')
    },
  ],
  [
    /^bankapi login /,
    async ({ line }) => {
      const here = line.replace(/https:\/\/api\.example\.com\/v3/, base.base_url)
      return inTerminal(`${here} --insecure-storage`, { at: /API key/, text: base.api_key })
    },
  ],
]

it('every command in README.md and docs/real-service.md runs and prints what is shown', {
  timeout: 180_000,
}, async () => {
  const commands = pages.flatMap(consoleCommands)
  expect(commands.length).toBeGreaterThan(15)
  const withoutJq = spawnSync('jq', ['--version']).status !== 0
  for (const shown of commands) {
    if (withoutJq && shown.line.includes('| jq ')) continue
    const [, run] = runners.find(([pattern]) => pattern.test(shown.line)) ?? []
    const text = await (run?.(shown) ?? inTerminal(shown.line))
    const { output, line } = shown
    expect(sameShape(output, text), `$ ${line}\n${output.join('\n')}\n--- printed:\n${text}`).toBe(true)
  }
})

it('the comparison of shapes finds differences', () => {
  const table = ['ID           STATUS  BANK', 'con_FDE_123  active  First Fir Bank']
  expect(sameShape(table, 'ID       STATUS  BANK\ncon_FDE_9  active  Birch\n')).toBe(true)
  expect(sameShape(table, 'ID       STATE  BANK\ncon_FDE_9  active  Birch\n')).toBe(false)
  expect(sameShape(table, 'ID       STATUS  BANK\ncon_FDE_9  failed  Birch\n')).toBe(false)
  expect(sameShape(table, 'ID       STATUS  BANK\ncon_FDE_9  active  Birch\nMore: --all\n')).toBe(false)
  expect(sameShape(table, 'ID       STATUS  BANK\n')).toBe(false)
  expect(sameShape(['{"code":"a",…,"exit":5}', '5'], '{"code":"a","x":1,"exit":5}\n5\n')).toBe(true)
  expect(sameShape(['{"code":"a",…,"exit":5}', '5'], '{"code":"b","x":1,"exit":5}\n5\n')).toBe(false)
})
