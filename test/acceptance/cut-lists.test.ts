import { expect, it } from 'vitest'
import { listedCommands } from '../../scripts/docs/manifest.ts'
import { emulatorShell } from '../support/emulator-shell.ts'

const emulator = emulatorShell()

/** Each list, so that it has more than one row. */
const lists: Readonly<Record<string, string>> = {
  'accounts list': '',
  'checks list': 'acc_FDE_12301',
  'clients list': '',
  'connections list': '',
  'emulator logs': '',
  'institutions search': '',
  'keys list': '',
  'operations list': '',
  'statements list': 'acc_FDE_12301',
  'sync status': '--to mirror.sqlite',
  'transactions list': 'acc_FDE_12301',
  'transactions summary': 'acc_FDE_12301',
  'webhooks events': '',
  'webhooks list': '',
}

it('every command with --limit is among those that are tried here', () => {
  const limited = listedCommands().filter(({ flags }) => 'limit' in flags)
  expect(limited.map(({ words }) => words).sort()).toEqual(Object.keys(lists).sort())
})

it('every list says on stderr that it was cut, in a pipe and on a terminal', {
  timeout: 120_000,
}, async () => {
  const { home } = emulator
  const secret = { BANKAPI_WEBHOOK_SECRET: 'whsec_test' }
  const listener = home.start(['webhooks', 'listen', '--port', '0', '--ack', '--json'], { env: secret })
  const { url } = JSON.parse(await listener.line()) as { url: string }
  await emulator.text(
    [
      'bankapi clients create',
      'bankapi connections refresh con_FDE_123 --wait',
      'bankapi connections refresh con_AGGREGATOR_A_1001 --wait',
      'bankapi sync --to mirror.sqlite --only statements',
      'bankapi keys create --scopes read:clients --json',
      ...['one', 'two'].flatMap((name) => [
        `bankapi webhooks create --url https://example.com/${name} --events webhook.test --print-secret`,
        `bankapi webhooks trigger webhook.test --to ${url}`,
      ]),
    ].join(' && '),
    { env: secret },
  )
  for (const [words, more] of Object.entries(lists)) {
    const line = `bankapi ${words} ${more} --limit 1`
    const { code, stderr } = await emulator.run(`${line} -o json > /dev/null`)
    expect([code, stderr], line).toEqual([0, expect.stringContaining('There is more: ')])
    expect(await emulator.screen(line), line).toContain('There is more: ')
  }
})

it('a page of a raw request says so, too', async () => {
  const { stderr } = await emulator.run("bankapi api GET '/accounts?client_id=cli_demo&limit=2'")
  expect(stderr).toBe('There is more: --paginate\n')
})
