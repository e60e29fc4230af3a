/**
 * Takes the screens of docs/tui.md from the running program: `node scripts/tui-screens.ts`, after a build. Runs the emulator, a
 * target that refuses at first, and `bankapi tui` on a pseudo-terminal.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { createEmulatorHome, type EmulatorHome } from '../test/support/emulator-process.ts'
import { openPty, type PtyScreen } from '../test/tui/pty-screen.ts'
import { startTarget, type Target } from '../test/tui/target.ts'

const bin = fileURLToPath(new URL('../bin/run.js', import.meta.url))
const page = new URL('../docs/tui.md', import.meta.url)

/** Makes operations and deliveries of every kind appear. */
async function play(screen: PtyScreen, home: EmulatorHome, target: Target): Promise<void> {
  await screen.until((text) => text.includes(`→ ${target.url}`), 'the listener')
  await home.json(['connections', 'refresh', 'con_FDE_123', '--wait'])
  await screen.until((text) => /acc_FDE_12304 .*→ 200/.test(text), 'its last delivery')
  target.answer = 500
  await home.json(['emulator', 'trigger', 'connection.failed', '--connection', 'con_AGGREGATOR_A_1001'])
  await screen.until((text) => /✗ connection\.failed .*→ 500/.test(text), 'the refused delivery')
  target.answer = 200
  screen.type('r')
  await screen.until((text) => /↻ connection\.failed .*→ 200/.test(text), 'the replay')
  const [, url = ''] = /(http:\/\/127\.0\.0\.1:\d+\/) →/.exec(screen.text()) ?? []
  await fetch(url, { method: 'POST', body: '{"type":"connection.active","event_id":"evt_forged"}' })
  await screen.until((text) => text.includes('1 refused'), 'the forged delivery')
  await home.run(['connections', 'refresh', 'con_AGGREGATOR_A_1001', '--wait', '--json'])
  await home.json(['connections', 'refresh', 'con_AGGREGATOR_B_2001'])
  await screen.until((text) => /… queued/.test(text), 'an operation that runs')
}

function open(home: EmulatorHome, args: readonly string[], columns: number, lines: number): PtyScreen {
  return openPty({ command: process.execPath, args: [bin, 'tui', ...args], env: home.env, columns, lines })
}

async function take(screen: PtyScreen): Promise<string> {
  await new Promise((resolve) => setTimeout(resolve, 300))
  return screen.lines().join('\n')
}

/** Resolves once the frames have the new width. */
async function resize(screen: PtyScreen, columns: number, lines: number): Promise<void> {
  screen.resize(columns, lines)
  const drawn = (line: string | undefined) => line?.length === columns && line.endsWith('╮')
  await screen.until((text) => drawn(text.split('\n')[2]), `a frame of ${columns} columns`)
}

async function screens(): Promise<Map<string, string>> {
  const home = await createEmulatorHome(['--seed', '7'])
  const target = await startTarget()
  const taken = new Map<string, string>()
  try {
    const screen = open(home, ['--port', '0', '--forward', target.url], 100, 28)
    await play(screen, home, target)
    taken.set('100', await take(screen))
    await resize(screen, 60, 20)
    taken.set('60', await take(screen))
    await resize(screen, 160, 36)
    await screen.until((text) => text.includes('"event_id"'), 'the detail')
    screen.type('kk')
    taken.set('160', await take(screen))
    await resize(screen, 100, 28)
    screen.type(':accounts\r')
    await screen.until((text) => /> Everyday Checking/.test(text), 'the accounts')
    screen.type('\r')
    await screen.until(
      (text) => /Transactions of Everyday Checking 1 of \d+ ─/.test(text),
      'the transactions',
    )
    taken.set('transactions', await take(screen))
    screen.type('qq')
    await screen.until((text) => text.includes('q quit'), 'the lists')
    screen.type('q')
    await screen.exited
  } finally {
    await target.close()
    await home.remove()
  }
  return taken
}

let text = await readFile(page, 'utf8')
for (const [name, screen] of await screens()) {
  const between = new RegExp(`(<!-- screen ${name} -->\n)[^]*?(<!-- end -->)`)
  if (!between.test(text)) throw new Error(`docs/tui.md has no markers for the screen ${name}`)
  text = text.replace(between, (_, start, end) => `${start}\n\`\`\`text\n${screen}\n\`\`\`\n\n${end}`)
}
await writeFile(page, text)
