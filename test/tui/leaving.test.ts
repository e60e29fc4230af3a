/** However `bankapi tui` ends, it restores the terminal and reports errors. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { bin } from '../support/built-program.ts'
import { createHome } from '../support/cli.ts'
import { temporaryFolder } from '../support/machine.ts'
import { openPty, type PtyScreen } from './pty-screen.ts'

const env = {
  BANKAPI_ENV: 'sandbox',
  BANKAPI_API_KEY: 'sk_test_0123456789abcdef',
  BANKAPI_BASE_URL: 'http://127.0.0.1:9/v3',
}

/** Runs the command in a shell, which prints the terminal's settings afterwards. */
async function openInShell(more: Record<string, string> = {}): Promise<PtyScreen> {
  const home = createHome({ env })
  const screen = openPty({
    command: '/bin/sh',
    args: ['-c', `"${process.execPath}" "${bin}" tui; echo "ended with $?"; stty -a`],
    env: { ...home.env, ...more },
    columns: 100,
    lines: 24,
  })
  onTestFinished(async () => {
    screen.kill('SIGKILL')
    await screen.exited
  })
  await screen.until((text) => text.includes('╭─ Operations'), 'the screen')
  expect(screen.isAlternate()).toBe(true)
  return screen
}

/**
 * Starts the command and waits for its screen; returns a way to send a signal to its process. `code` runs in it first.
 */
async function openWithSignals(code = '') {
  const pidFile = join(temporaryFolder(), 'pid')
  const tellsItsPid = 'import fs from "node:fs"; fs.writeFileSync(process.env.PID_FILE, String(process.pid));'
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(tellsItsPid + code)}`
  const screen = await openInShell({ PID_FILE: pidFile, NODE_OPTIONS })
  const send = (signal: NodeJS.Signals) => process.kill(Number(readFileSync(pidFile, 'utf8')), signal)
  return { screen, send }
}

function expectRestored(screen: PtyScreen): void {
  expect(screen.isAlternate()).toBe(false)
  expect(screen.output().lastIndexOf('\u001b[?25h')).toBeGreaterThan(
    screen.output().lastIndexOf('\u001b[?25l'),
  )
  // The terminal edits and echoes lines again, and Ctrl-C is a signal.
  expect(screen.text()).toMatch(/[^-]icanon/)
  expect(screen.text()).toMatch(/isig/)
  expect(screen.text()).not.toMatch(/-icanon|-isig|-echo /)
}

test.each([
  ['q', 'q'],
  ['Ctrl-C', '\u0003'],
])('%s: exit code 0', async (_, keys) => {
  const screen = await openInShell()
  screen.type(keys)
  await screen.exited
  expect(screen.text()).toContain('ended with 0')
  expectRestored(screen)
})

test.each(['SIGTERM', 'SIGHUP', 'SIGINT'] as const)('%s', async (signal) => {
  const { screen, send } = await openWithSignals()
  send(signal)
  await screen.exited
  expect(screen.text()).toContain('ended with 0')
  expectRestored(screen)
})

test('a crash: the error is on the user’s normal screen', async () => {
  const crash = 'process.on("SIGUSR2", () => { throw new Error("boom in the middle") })'
  const { screen, send } = await openWithSignals(crash)
  send('SIGUSR2')
  await screen.exited
  expect(screen.output()).toContain('boom in the middle')
  const restored = screen.output().lastIndexOf('\u001b[?1049l')
  expect(screen.output().indexOf('boom in the middle')).toBeGreaterThan(restored)
  expectRestored(screen)
})

test('text written to stderr while the screen is up becomes a notice and does not damage it', async () => {
  const stray = 'process.on("SIGUSR2", () => process.stderr.write("a stray \\u001b[2J warning\\n"))'
  const { screen, send } = await openWithSignals(stray)
  send('SIGUSR2')
  await screen.until((text) => text.includes('! a stray \\x1b[2J warning'), 'the notice')
  expect(screen.text()).toContain('╭─ Operations')
  screen.type('q')
  await screen.exited
})
