/**
 * `npm run demo`: the main task from end to end with the built `bankapi`. Each command runs in a pseudo-terminal and is
 * shown with its output. Ends by itself, leaves nothing behind, and exits with 1 when a step fails. `--executable FILE` shows
 * that executable instead.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs, stripVTControlCharacters } from 'node:util'
import { spawn as spawnTerminal } from '@lydell/node-pty'

const { executable } = parseArgs({ options: { executable: { type: 'string' } } }).values
const [program, ...programArgs] =
  executable === undefined
    ? ([process.execPath, fileURLToPath(new URL('../bin/run.js', import.meta.url))] as const)
    : ([resolve(executable)] as const)
const folder = mkdtempSync(join(tmpdir(), 'bankapi-demo-'))
/** Columns of the terminal; where there is none, as many as the widest of its tables takes. */
const columns = process.stdout.columns || Number(process.env['COLUMNS']) || 110
const colour = Boolean(process.stdout.isTTY) && !process.env['NO_COLOR']
const env: Record<string, string> = {
  PATH: process.env['PATH'] ?? '',
  HOME: folder,
  TERM: 'xterm-256color',
  BANKAPI_ENV: 'local',
  BANKAPI_PAGER: '',
  ...(colour ? {} : { NO_COLOR: '1' }),
}

interface Background {
  readonly ended: Promise<void>
  interrupt(): void
  kill(): void
}

const background: Background[] = []
/** Types of the events that the receiver got, in order. */
const received: string[] = []

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

function heading(text: string): void {
  say(`\n${colour ? `\x1b[1m# ${text}\x1b[0m` : `# ${text}`}`)
}

/** Runs a command as a user at a terminal would, shows it, and returns its text. Throws when it fails. */
async function run(...args: string[]): Promise<string> {
  say(`$ bankapi ${args.map(quoted).join(' ')}`)
  const terminal = spawnTerminal(program, [...programArgs, ...args], {
    cols: columns,
    rows: 50,
    cwd: folder,
    env,
  })
  let text = ''
  terminal.onData((data) => {
    text += data
  })
  const { exitCode } = await new Promise<{ exitCode: number }>((resolve) => terminal.onExit(resolve))
  // A pseudo-terminal ends lines with CR LF, and progress redraws its line: only the final text is shown.
  const screen = text
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => line.slice(line.lastIndexOf('\r') + 1).replace('\x1b[K', ''))
    .join('\n')
    .trimEnd()
  if (screen !== '') say(screen)
  if (exitCode !== 0) throw new Error(`bankapi ${args[0]} ${args[1]} ended with exit code ${exitCode}`)
  return stripVTControlCharacters(screen)
}

/** Starts a command that keeps running and shows its lines as they come; resolves with the first that matches. */
async function start(name: string, pattern: RegExp, ...args: string[]): Promise<string> {
  say(`$ bankapi ${args.map(quoted).join(' ')} &`)
  const prefix = `  [${name}] `
  const cols = Math.max(40, columns - prefix.length)
  const terminal = spawnTerminal(program, [...programArgs, ...args], { cols, rows: 50, cwd: folder, env })
  const ended = new Promise<void>((resolve) => terminal.onExit(() => resolve()))
  background.push({ ended, interrupt: () => terminal.write('\x03'), kill: () => terminal.kill('SIGKILL') })
  let rest = ''
  return new Promise<string>((resolve, reject) => {
    terminal.onData((data) => {
      const lines = (rest + data).split('\r\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        // The terminal echoes the Ctrl-C that ends it.
        const shown = line.replace('^C', '')
        if (shown !== '') say(prefix + shown)
        if (pattern.test(stripVTControlCharacters(shown))) resolve(shown)
      }
    })
    terminal.onExit(({ exitCode }) => reject(new Error(`bankapi ${args[0]} ended early with ${exitCode}`)))
  })
}

/** The integrator's server: it records what it gets and answers 200. */
async function startReceiver(): Promise<{ server: Server; port: number }> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { type } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { type: string }
      received.push(type)
      say(`  [receiver] got ${type}`)
      response.end('ok')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, port: (server.address() as AddressInfo).port }
}

async function until(what: string, holds: () => boolean): Promise<void> {
  for (let waited = 0; !holds(); waited += 50) {
    if (waited > 20_000) throw new Error(`waited 20 s for ${what}`)
    await sleep(50)
  }
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word}'`
}

function assert(holds: boolean, what: string): void {
  if (!holds) throw new Error(`expected ${what}`)
}

async function stop({ ended, interrupt, kill }: Background): Promise<void> {
  interrupt()
  const forced = setTimeout(kill, 5000)
  await ended
  clearTimeout(forced)
}

async function demo(): Promise<void> {
  heading('The whole service, on this machine')
  await start('emulator', /ready/i, 'emulator', 'start', '--memory', '--port', '0', '--live-port', '0')

  heading('Find a bank, and create the end-user who will link it')
  const catalog = await run('institutions', 'search', 'alder')
  assert(catalog.includes('ins_a_ok'), 'ins_a_ok in the catalog')
  const client = await run(
    'clients',
    'create',
    '--name',
    'Ada Lovelace',
    '--external-id',
    'user-42',
    '--jq',
    '.id',
  )

  heading('Listen for webhooks, verify them, and pass them on to a server of our own')
  const { server, port } = await startReceiver()
  try {
    await start(
      ...([
        'listen',
        /^Ready/,
        'webhooks',
        'listen',
        '--port',
        '0',
        '--forward',
        `localhost:${port}`,
      ] as const),
      ...['--events', 'connection.*,account.refresh.*'],
    )

    heading('Link the bank: the widget URL is for the user')
    const link = await run(
      ...['connections', 'initiate', '--client', client, '--institution', 'ins_a_ok', '--wait'],
      ...['--jq', '.result.connection | .id, .action.widget_url'],
    )
    const placeholder = link.split('\n')[0] ?? ''
    assert(placeholder.startsWith('con_'), 'a placeholder id')
    await until('connection.requires_action', () => received.includes('connection.requires_action'))

    heading('The user signs in at the widget')
    await run('emulator', 'link', placeholder)
    await until('connection.active', () => received.includes('connection.active'))
    const list = await run('connections', 'list', '--client', client)
    assert(/con_AGGREGATOR_A_\S+/.test(list), 'a canonical Connection id')

    heading('Refresh a bank that is linked already')
    const refreshed = await run('connections', 'refresh', 'con_FDE_123', '--wait')
    assert(refreshed.includes('succeeded'), 'the refresh to succeed')
    await until('account.refresh.completed', () => received.includes('account.refresh.completed'))

    heading('Read the accounts and transactions')
    const accounts = await run(
      ...['accounts', 'list', '--client', 'cli_demo', '--connection', 'con_FDE_123', '--jq', '.data[0].id'],
    )
    const transactions = await run('transactions', 'list', accounts, '--client', 'cli_demo', '--limit', '12')
    assert(/AMOUNT/i.test(transactions) && transactions.split('\n').length > 5, 'a table of transactions')
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

let failure: unknown
try {
  await demo()
} catch (error) {
  failure = error
}
// The listener is stopped first, as it removes its subscription at the emulator.
for (const child of background.reverse()) await stop(child)
rmSync(folder, { recursive: true, force: true })

if (failure === undefined && existsSync(folder)) failure = new Error(`${folder} is still there`)
if (failure === undefined) {
  say(`\nDone: ${received.length} webhooks verified and forwarded, nothing left behind.`)
} else {
  process.stderr.write(`\nThe demo failed: ${failure instanceof Error ? failure.message : String(failure)}\n`)
  process.exitCode = 1
}
