/** `bankapi tui` as a user sees it: the built command on a pseudo-terminal, with a running emulator. */
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { bin } from '../support/built-program.ts'
import { emulatorHome } from '../support/emulator-process.ts'
import { openPty, type PtyScreen } from './pty-screen.ts'
import { startTarget, type Target } from './target.ts'

const home = emulatorHome()
let target: Target

beforeEach(async () => {
  target = await startTarget()
  return () => target.close()
})

interface Options {
  readonly args?: readonly string[]
  readonly columns?: number
  readonly lines?: number
  readonly env?: Readonly<Record<string, string>>
}

function openTui({ args = [], columns = 160, lines = 30, env = {} }: Options = {}): PtyScreen {
  const screen = openPty({
    command: process.execPath,
    args: [bin, 'tui', ...args],
    env: { ...home.env, ...env },
    columns,
    lines,
  })
  onTestFinished(async () => {
    screen.kill('SIGKILL')
    await screen.exited
  })
  return screen
}

async function listening(options: Options = {}): Promise<PtyScreen> {
  const screen = openTui({
    ...options,
    args: ['--port', '0', '--forward', target.url, ...(options.args ?? [])],
  })
  await screen.until((text) => text.includes(`→ ${target.url}`), 'the listener')
  return screen
}

async function quit(screen: PtyScreen): Promise<void> {
  screen.type('q')
  expect((await screen.exited).exitCode).toBe(0)
  expect(screen.isAlternate()).toBe(false)
}

const matching = (screen: PtyScreen, pattern: RegExp) =>
  screen.lines().filter((line) => pattern.test(line)).length

test('a refresh of another process appears, and R refreshes the selected connection', async () => {
  const screen = await listening()
  await home.json(['connections', 'refresh', 'con_FDE_123'])
  await screen.until((text) => /… queued/.test(text), 'the running operation')
  await screen.until((text) => /✓ succeeded .*connection/.test(text), 'its end')
  await screen.until((text) => /account\.refresh\.completed .*✓ verified .*✓ 200/.test(text), 'its webhooks')

  screen.type('R')
  await screen.until(
    (text) => text.includes('Refresh con_FDE_123? It uses the daily budget. y/n'),
    'the question',
  )
  screen.type('y')
  await screen.until((text) => /Accepted: op_/.test(text), 'the answer')
  await screen.until(() => matching(screen, /✓ succeeded/) >= 2, 'a second operation at its end')
  await quit(screen)
})

test('a failure is shown with its reason, and in full with Enter', async () => {
  const screen = openTui()
  const { operation_id: id } = await failingOperation()
  await screen.until((text) => new RegExp(`${id} .*✗ failed`).test(text), 'the failed operation', 30_000)
  await screen.until(
    (text) => new RegExp(`${id} .*(?:mfa_required|refresh_|source_internal)`).test(text),
    'its reason',
  )
  screen.type('\r')
  await screen.until((text) => /"status": "failed"/.test(text), 'the detail')
  await quit(screen)
})

/** Starts a refresh that the bank refuses, at an institution that asks a security question. */
async function failingOperation(): Promise<{ operation_id: string }> {
  const { result } = await home.json<{ result: { connection: { id: string } } }>([
    ...['connections', 'initiate', '--institution', 'ins_fde_mfa', '--wait'],
  ])
  const { connection_id } = await home.json<{ connection_id: string }>([
    ...['emulator', 'link', result.connection.id],
  ])
  return home.json(['connections', 'refresh', connection_id])
}

test('a delivery that the target refused is sent again with r', async () => {
  const screen = await listening()
  target.answer = 500
  await home.json([
    'emulator',
    'trigger',
    'connection.capability_changed',
    '--connection',
    'con_AGGREGATOR_A_1001',
  ])
  await screen.until((text) => /capability_changed .*✗ 500/.test(text), 'the refused delivery')
  target.answer = 200
  screen.type('r')
  await screen.until((text) => /Sent again .*: 200 in/.test(text), 'what the target said')
  await screen.until((text) => /capability_changed .*↻ replay .*✓ 200/.test(text), 'the replay as a row')
  expect(target.received).toHaveLength(2)
  expect(target.received[1]).toBe(target.received[0])
  await quit(screen)
})

test('without --forward the deliveries of another listener are shown; a filter leaves one type', async () => {
  const listener = await listening()
  await home.json(['emulator', 'trigger', 'connection.active', '--connection', 'con_FDE_123'])
  await listener.until((text) => /connection\.active .*✓ 200/.test(text), 'the first delivery')
  const screen = openTui()
  await screen.until((text) => text.includes('deliveries from the inbox'), 'the header')
  await screen.until((text) => /connection\.active/.test(text), 'the earlier delivery')
  screen.type('\t')
  await screen.until((text) => /▶ Deliveries/.test(text), 'the other list in front')
  await home.json(['emulator', 'trigger', 'connection.disconnected', '--connection', 'con_AGGREGATOR_B_2001'])
  await screen.until(
    (text) => /connection\.disconnected .*✓ 200/.test(text),
    'a delivery of the other listener',
  )

  screen.type('f')
  await screen.until((text) => /> type +‹ \(all\) ›/.test(text), 'the filter')
  for (let presses = 0; presses < 10 && !screen.text().includes('‹ connection.disconnected ›'); presses++) {
    const before = screen.text()
    screen.type('\u001b[C')
    await screen.until((text) => text !== before, 'the next type')
  }
  screen.type('\r')
  await screen.until(
    (text) => /Deliveries .*type connection\.disconnected/.test(text),
    'the filter in the title',
  )
  expect(matching(screen, /connection\.disconnected .*✓ verified/)).toBe(1)
  expect(matching(screen, /connection\.active .*✓ verified/)).toBe(0)
  await quit(listener)
  await quit(screen)
})

test('200×60, 40×12 and back: the screen is complete at every size', async () => {
  await home.json(['connections', 'refresh', 'con_FDE_123', '--wait'])
  const screen = await listening({ columns: 200, lines: 60 })
  await screen.until(
    (text) =>
      text.includes('▶ Deliveries') && text.includes('EVENT') && /✓ succeeded .*connection/.test(text),
    'the wide screen',
  )
  const wide = withoutTimes(screen.lines())

  screen.resize(40, 12)
  await screen.until((text) => {
    const lines = text.split('\n')
    return (
      lines.length === 12 &&
      /^bankapi local/.test(lines[0] ?? '') &&
      /^\? help {2}q quit/.test(lines[11] ?? '') &&
      lines.filter((line) => line.startsWith('bankapi')).length === 1 &&
      /▶ Deliveries [^\n]*─$/m.test(text) &&
      !text.includes('Operations')
    )
  }, 'one list only, between the header and the keys')

  screen.resize(200, 60)
  const again = () => withoutTimes(screen.lines()).join('\n') === wide.join('\n')
  await screen.until(again, `the wide screen again:\n${wide.join('\n')}`)
  await quit(screen)
})

function withoutTimes(lines: readonly string[]): string[] {
  return lines.map((line) => line.replaceAll(/\d+\/\d+ s/g, 'TIME'))
}

test('c copies the id to the clipboard with OSC 52', async () => {
  const screen = openTui()
  await home.json(['connections', 'refresh', 'con_FDE_123'])
  await screen.until((text) => /> op_\w+/.test(text), 'an operation')
  const [, id = ''] = /> (op_\w+)/.exec(screen.text()) ?? []
  screen.type('c')
  await screen.until((text) => text.includes(`Copied ${id}`), 'the notice')
  expect(screen.output()).toContain(`\u001b]52;c;${Buffer.from(id).toString('base64')}\u0007`)
  await quit(screen)
})

test('with NO_COLOR nothing is coloured, and everything is readable', async () => {
  await home.json(['connections', 'refresh', 'con_FDE_123', '--wait'])
  await failingOperation()
  const screen = openTui({ env: { NO_COLOR: '1' } })
  await screen.until((text) => /✓ succeeded/.test(text) && /✗ failed/.test(text), 'the operations')
  await quit(screen)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colour sequences are what is looked for
  expect(screen.output()).not.toMatch(/\u001b\[(?:3[0-7]|9[0-7]|38|48)[;m]/)
})
