/** `bankapi tui` as a user sees it: the built command on a pseudo-terminal, with a running emulator. */
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { json, serve } from '../api/servers.ts'
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

/** Without a listener of its own, unless `args` ask for one. */
function openTui({ args = ['--no-listen'], columns = 160, lines = 30, env = {} }: Options = {}): PtyScreen {
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
  await screen.until((text) => /127\.0\.0\.1:\d+\/ → ht/.test(text), 'the listener')
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
  await screen.until((text) => /✓ account\.refresh\.completed .*→ 200/.test(text), 'its webhooks')

  screen.type('R')
  await screen.until(
    (text) => text.includes('Refresh con_FDE_123? It uses the daily budget.') && text.includes('y yes  n no'),
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
  await screen.until((text) => /✗ failed/.test(text), 'the failed operation', 30_000)
  await screen.until(
    (text) => /✗ failed .*(?:mfa_required|refresh_|source_internal)/.test(text) && text.includes(id),
    'its reason',
  )
  screen.type('\r')
  await screen.until((text) => /"status": "failed"/.test(text), 'the detail')
  await screen.until((text) => text.includes('q back'), 'the keys of the detail')
  screen.type('q')
  await screen.until((text) => text.includes('q quit'), 'the keys of the list')
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
  await screen.until((text) => /✗ connection\.capability_changed .*→ 500/.test(text), 'the refused delivery')
  target.answer = 200
  screen.type('r')
  await screen.until((text) => /Sent again .*: 200 in/.test(text), 'what the target said')
  await screen.until(
    (text) => /↻ connection\.capability_changed .*→ 200 .*replay/.test(text),
    'the replay as a row',
  )
  expect(target.received).toHaveLength(2)
  expect(target.received[1]).toBe(target.received[0])
  await quit(screen)
})

test('without --forward the deliveries of another listener are shown; a filter leaves one type', async () => {
  const listener = await listening()
  await home.json(['emulator', 'trigger', 'connection.active', '--connection', 'con_FDE_123'])
  await listener.until((text) => /connection\.active .*→ 200/.test(text), 'the first delivery')
  const screen = openTui()
  await screen.until((text) => text.includes('deliveries from the inbox'), 'the header')
  await screen.until((text) => /connection\.active/.test(text), 'the earlier delivery')
  screen.type('\t')
  await screen.until((text) => /→ 200 in \d+ ms from/.test(text), 'the other list in front')
  await home.json(['emulator', 'trigger', 'connection.disconnected', '--connection', 'con_AGGREGATOR_B_2001'])
  await screen.until(
    (text) => /connection\.disconnected .*→ 200/.test(text),
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
  expect(matching(screen, /✓ connection\.disconnected .*→ 200/)).toBe(1)
  expect(matching(screen, /✓ connection\.active .*→ 200/)).toBe(0)
  await quit(listener)
  await quit(screen)
})

test('200×60, 40×12 and back: the screen is complete at every size', async () => {
  await home.json(['connections', 'refresh', 'con_FDE_123', '--wait'])
  const screen = await listening({ columns: 200, lines: 60 })
  await screen.until(
    (text) =>
      text.includes('╭─ Detail') && /✓ succeeded .*connection/.test(text) && isWhole(text.split('\n'), 200),
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
      /^╭─ Deliveries [^\n]*─╮$/m.test(text) &&
      !text.includes('Operations')
    )
  }, 'one list only, between the header and the keys')

  screen.resize(200, 60)
  const again = () => withoutTimes(screen.lines()).join('\n') === wide.join('\n')
  await screen.until(again, `the wide screen again:\n${wide.join('\n')}`)
  await quit(screen)
})

function withoutTimes(lines: readonly string[]): string[] {
  // The sparkline moves with every minute.
  return lines.map((line) => line.replaceAll(/\d+\/\d+ s/g, 'TIME').replace(/^[▁-█]+ \d+\/min/, 'RATE'))
}

const sizes = [
  [60, 16],
  [80, 24],
  [120, 36],
  [200, 60],
] as const

test.each(sizes)('%i×%i: nothing is wrapped, and what tells rows apart is there', async (columns, lines) => {
  const screen = await listening({ columns, lines })
  await home.json(['connections', 'refresh', 'con_FDE_123', '--wait'])
  await home.json(['emulator', 'trigger', 'connection.failed', '--connection', 'con_AGGREGATOR_A_1001'])
  await screen.until((text) => /✓ connection\.failed .*con_A\S*1 .*→ 200/.test(text), 'a delivery')
  await screen.until((text) => /acc_\S*01 .*→ 200[\s\S]*acc_\S*02 .*→ 200/.test(text), 'accounts told apart')
  await screen.until(
    (text) => (columns < 120 ? true : /"event_id"[\s\S]*"con_AGGREGATOR_A_1001"/.test(text)),
    'the body beside them',
  )
  expect(screen.lines()).toHaveLength(lines)
  expect(screen.lines()[0]).toMatch(/^bankapi local/)
  expect(screen.lines()[1]).toMatch(/^[▁-█]{15} \d+\/min {3}2xx 100 %/)
  await screen.until((text) => isWhole(text.split('\n'), columns), 'closed frames')
  await quit(screen)
})

/** True when every frame is closed at the right edge and the keys stand below them. */
function isWhole(lines: readonly string[], columns: number): boolean {
  const isClosed = (line: string) => /^[╭│╰].*[╮│╯]$/.test(line) && line.length === columns
  return lines.slice(2, -1).every(isClosed) && /^\? help/.test(lines.at(-1) ?? '')
}

test('on local it listens by itself, t has a test event sent, and it leaves no subscription', async () => {
  const screen = openTui({ args: ['--port', '0'], columns: 120, lines: 36 })
  await screen.until((text) => /^bankapi local \S+ · http:\/\/127\.0\.0\.1:\d+\/$/m.test(text), 'its address')
  screen.type('t')
  await screen.until((text) => /✓ webhook\.test .*verified/.test(text), 'the test event')
  await quit(screen)
  expect(await home.json(['webhooks', 'list'])).toMatchObject({ data: [] })
})

test('l starts a listener where none is', async () => {
  const screen = openTui({ args: ['--no-listen', '--port', '0'], columns: 100, lines: 24 })
  await screen.until((text) => text.includes('None yet: l starts a listener here'), 'the empty list')
  screen.type('l')
  await screen.until((text) => /· http:\/\/127\.0\.0\.1:\d+\//.test(text), 'its address')
  await screen.until((text) => text.includes('None yet: t has the service send a test event'), 'the next key')
  await quit(screen)
})

test('a signing secret that comes under another name is shown with all that came, when the screen has gone', async () => {
  const { baseUrl } = await serve(({ method }, response) => {
    if (method === 'GET') json(response, 200, { data: [], has_more: false })
    else json(response, 201, { id: 'whk_1', secret: 'whsec_only_once' })
  })
  const env = { BANKAPI_ENV: 'local', BANKAPI_BASE_URL: baseUrl, BANKAPI_API_KEY: 'sk_test_ab12cdef' }
  const screen = openTui({ args: ['--port', '0'], columns: 120, lines: 24, env })
  await screen.until((text) => text.includes('no field signing_secret'), 'why it does not listen')
  expect(screen.output()).not.toContain('whsec_only_once')
  await quit(screen)
  expect(screen.text()).toContain('whsec_only_once')
})

test('a port that is in use is no reason to leave: deliveries come from the inbox, and l takes another port', async () => {
  const port = new URL(target.url).port
  const screen = openTui({ args: ['--port', port], columns: 120, lines: 24 })
  await screen.until(
    (text) => text.includes(`Port ${port} is in use, so deliveries come from the inbox`),
    'why',
  )
  screen.type('l')
  await screen.until((text) => /· http:\/\/127\.0\.0\.1:\d+\//.test(text), 'another address')
  expect(screen.text()).not.toContain(`:${port}/`)
  await quit(screen)
})

test(': opens clients, and enter leads to the transactions of an account, with its balance', async () => {
  const screen = openTui({ columns: 120, lines: 36 })
  await screen.until((text) => text.includes('╭─ Operations'), 'the screen')
  screen.type(':cli\r')
  await screen.until((text) => /Clients 1 of 1 .*\n.*\n.*> Zoë Núñez/.test(text), 'the Client')
  screen.type('\r')
  await screen.until((text) => /Connections of Zoë Núñez 1 of 3/.test(text), 'its Connections')
  screen.type('/first fir\r')
  await screen.until(
    (text) => /Connections of Zoë Núñez \/first fir 1 of 1 · 3 in all/.test(text),
    'the one found',
  )
  screen.type('\r')
  await screen.until((text) => /Accounts of First Fir Bank 1 of 4/.test(text), 'its accounts')
  await screen.until((text) => text.includes('"current_balance": 12904.33'), 'the account beside them')
  screen.type('\r')
  await screen.until((text) => /Transactions of Business Checking 1 of \d+/.test(text), 'its transactions')
  await screen.until(
    (text) => /[\u2801-\u28ff]{20}/.test(text) && text.includes('12,904.33'),
    'its balance over time',
  )
  for (const above of ['Accounts of First Fir Bank', 'Connections of Zoë Núñez']) {
    screen.type('\u001b')
    await screen.until((text) => text.includes(`╭─ ${above}`), above)
  }
  for (const _ of ['Clients', 'the lists']) screen.type('q')
  await screen.until((text) => text.includes('╭─ Operations'), 'the lists again')
  await quit(screen)
})

test('a asks, then shows the link to reauthorize and copies it', async () => {
  const screen = openTui({ columns: 80, lines: 24 })
  await screen.until((text) => text.includes('╭─ Operations'), 'the screen')
  screen.type(':conn\r')
  await screen.until((text) => /> . \w+ +Alder Bank/.test(text), 'the Connections')
  screen.type('a')
  await screen.until(
    (text) => text.includes('Make a link to reauthorize con_AGGREGATOR_A_1001?'),
    'the question',
  )
  screen.type('y')
  await screen.until((text) => /http:\/\/127\.0\.0\.1:\d+\/reauthorize\/\w+/.test(text), 'the link')
  const [url = ''] = /http:\/\/127\.0\.0\.1:\d+\/reauthorize\/\w+/.exec(screen.text()) ?? []
  expect(screen.output()).toContain(`\u001b]52;c;${Buffer.from(url).toString('base64')}\u0007`)
  expect(screen.text()).toContain('Whoever has it can use it')
  screen.type('q')
  await screen.until((text) => !text.includes(url), 'the link gone')
  screen.type('q')
  await screen.until((text) => text.includes('╭─ Operations'), 'the lists')
  await quit(screen)
})

test('c copies the id to the clipboard with OSC 52', async () => {
  const screen = openTui()
  await home.json(['connections', 'refresh', 'con_FDE_123'])
  await screen.until((text) => /╭─ op_\w+/.test(text), 'an operation')
  const [, id = ''] = /╭─ (op_\w+)/.exec(screen.text()) ?? []
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
  expect(screen.output()).not.toMatch(/\u001b\[(?:[34][0-7]|9[0-7]|38|48)[;m]/)
})
