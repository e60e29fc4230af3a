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
  target.answer = 500
  await home.json(['emulator', 'trigger', 'connection.failed', '--connection', 'con_AGGREGATOR_A_1001'])
  await screen.until((text) => /connection\.failed .*✗ 500/.test(text), 'the refused delivery')
  target.answer = 200
  screen.type('r')
  await screen.until((text) => /↻ replay .*✓ 200/.test(text), 'the replay')
  const [, url = ''] = /(http:\/\/127\.0\.0\.1:\d+\/) →/.exec(screen.text()) ?? []
  await fetch(url, { method: 'POST', body: '{"type":"connection.active","event_id":"evt_forged"}' })
  await screen.until((text) => text.includes('1 refused'), 'the forged delivery')
  await home.run(['connections', 'refresh', 'con_AGGREGATOR_A_1001', '--wait', '--json'])
  await home.json(['connections', 'refresh', 'con_AGGREGATOR_B_2001'])
  await screen.until((text) => text.includes('1 running'), 'an operation that runs')
}

function open(home: EmulatorHome, args: readonly string[], columns: number, lines: number): PtyScreen {
  return openPty({ command: process.execPath, args: [bin, 'tui', ...args], env: home.env, columns, lines })
}

async function take(screen: PtyScreen): Promise<string> {
  await new Promise((resolve) => setTimeout(resolve, 300))
  return screen.lines().join('\n')
}

async function screens(): Promise<Map<string, string>> {
  const home = await createEmulatorHome(['--seed', '7'])
  const target = await startTarget()
  const taken = new Map<string, string>()
  try {
    const screen = open(home, ['--port', '0', '--forward', target.url], 100, 28)
    await play(screen, home, target)
    taken.set('100', await take(screen))
    screen.resize(60, 20)
    taken.set('60', await take(screen))
    screen.resize(160, 36)
    await screen.until((text) => /EVENT {20}/.test(text), 'the wide screen')
    screen.type('kk\r')
    await screen.until((text) => text.includes('"event_id"'), 'the detail')
    screen.type('\t\t')
    taken.set('160', await take(screen))
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
