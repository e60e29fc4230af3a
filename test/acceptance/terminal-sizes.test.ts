/** What people see in terminals of different sizes: nothing wrapped, nothing cut that tells rows apart, colours that say something. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { emulatorShell } from '../support/emulator-shell.ts'
import { keys, type Screen } from '../support/terminal.ts'
import { startTarget } from '../tui/target.ts'

const emulator = emulatorShell(['--seed', '7'])

const sizes = [
  { columns: 60, rows: 16 },
  { columns: 80, rows: 24 },
  { columns: 120, rows: 36 },
  { columns: 200, rows: 60 },
]

const show = (line: string, options: { columns: number; rows: number; env?: Record<string, string> }) =>
  emulator.open(line, options).ended

/** The coloured texts of what a program wrote, by the number of their colour. */
function coloured({ raw }: Pick<Screen, 'raw'>): string[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control sequences
  return [...raw.matchAll(/\u001b\[(?:3[1-7]|38;5;\d+)m(.*?)\u001b\[39m/gs)].map(([, text = '']) =>
    text.trim(),
  )
}

/** A listener at work: an event accepted, one refused by the target, one forged. */
async function listened(options: {
  columns: number
  rows: number
  env?: Record<string, string>
}): Promise<Screen> {
  const target = await startTarget()
  onTestFinished(() => target.close())
  const terminal = emulator.open(`bankapi webhooks listen --port 0 --forward ${target.url}`, options)
  await terminal.sees(/Ready: http/)
  const [, url = ''] = /Ready: (\S+)/.exec(await terminal.screen()) ?? []
  const trigger = (type: string) =>
    emulator.text(`bankapi emulator trigger ${type} --connection con_AGGREGATOR_A_1001`)
  await trigger('connection.active')
  await terminal.sees('→ 200')
  target.answer = 500
  await trigger('connection.failed')
  await terminal.sees('target says 500')
  await fetch(url, { method: 'POST', body: '{"type":"connection.active","event_id":"evt_forged"}' })
  await terminal.sees(/missing header|X-LS-Webhook-Timestamp/)
  terminal.type(keys.ctrlC)
  return terminal.ended
}

describe.each(sizes)('in $columns columns', (size) => {
  it('a listener has a line for each delivery, with its verdict', async () => {
    const { screen, wrapped, raw } = await listened(size)
    expect(wrapped).toEqual([])
    const id = size.columns === 60 ? 'con_AGGR…1001' : 'con_AGGREGATOR_A_1001'
    expect(screen).toMatch(new RegExp(`^\\d\\d:\\d\\d:\\d\\d {2}✓ connection\\.active +${id} +→ 200`, 'm'))
    expect(screen).toMatch(new RegExp(`^\\d\\d:\\d\\d:\\d\\d {2}✗ connection\\.failed +${id} +→ 500`, 'm'))
    expect(screen).toMatch(/^ {10}│ target says 500$/m)
    expect(screen).toMatch(/✗ connection\.active .*(?:missing header|X-LS-Webhook-Timestamp)/)
    const said = new Set(coloured({ raw }))
    for (const text of said) {
      expect(text).toMatch(/^(?:Ready:|[✓✗…↻│]|→ \d+|(?:not verified: )?(?:missing header|The header .*))$/)
    }
    expect([...said]).toEqual(expect.arrayContaining(['✓', '✗', '→ 200', '→ 500']))

    const listed = await show('bankapi webhooks events', size)
    expect(listed.wrapped).toEqual([])
    expect(listed.screen).toMatch(/^\d{4}-\d\d-\d\d {2}local$/m)
    expect(listed.screen).toMatch(/^\d+ {2}\d\d:\d\d:\d\d {2}✓ connection\.active +con_\S+ +→ 200/m)
    expect(listed.screen).toMatch(/✗ connection\.active .*(?:missing header|X-LS-Webhook-Timestamp)/)
  })

  it('operations tail has a line for each change', async () => {
    const { screen, wrapped } = await show(
      `bankapi operations tail "$(bankapi connections refresh con_FDE_123 --jq .operation_id)"`,
      size,
    )
    expect(wrapped).toEqual([])
    expect(screen).toMatch(/^\d\d:\d\d:\d\d {2}✓ account\.refresh +con_FDE_123 +succeeded/m)
  })

  it('accounts are told apart by whole ids, and by whole names from 80 columns on', async () => {
    const { screen, wrapped } = await show('bankapi accounts list', size)
    expect(wrapped).toEqual([])
    for (const id of (await emulator.text("bankapi accounts list --jq '.data[].id'")).split('\n'))
      expect(screen).toMatch(new RegExp(`^${id} `, 'm'))
    expect(screen).toMatch(/ -238,411\.90 USD/)
    if (size.columns >= 80) expect(screen).toContain('Voyage Card (overpaid) ')
  })

  it('transactions have their amounts and descriptions whole, and income set apart', async () => {
    const { screen, wrapped, raw } = await show('bankapi transactions list acc_FDE_12301 --limit 12 -q', size)
    expect(wrapped).toEqual([])
    const lines = screen.split('\n')
    expect(lines[0]).toMatch(/^DATE +AMOUNT USD {2}DESCRIPTION/)
    const texts = await emulator.text(
      "bankapi transactions list acc_FDE_12301 --limit 12 -q --jq '.data[].description'",
    )
    for (const [at, text] of texts.split('\n').entries()) expect(lines[at + 1]).toContain(text)
    expect(screen).toMatch(/ \+1,760\.00 {2}PAYROLL/)
    for (const text of coloured({ raw })) expect(text).toMatch(/^(?:\+[\d,.]+|pending)$/)
  })

  it('connections say when they were refreshed', async () => {
    const { screen, wrapped } = await show('bankapi connections list', size)
    expect(wrapped).toEqual([])
    if (size.columns >= 80) expect(screen).toMatch(/con_FDE_123 .* (?:\d+ (?:s|min|h|d) ago|now)$/m)
    expect((await show('bankapi connections get con_FDE_123', size)).wrapped).toEqual([])
  })

  it('help fits', async () => {
    for (const line of ['bankapi', 'bankapi connections refresh --help', 'bankapi help environment']) {
      const { screen, wrapped } = await show(line, size)
      expect([line, wrapped]).toEqual([line, []])
      expect(screen).not.toBe('')
    }
  })
})

it('with NO_COLOR the marks and words say the same, without any colour', async () => {
  const { screen, raw } = await listened({ columns: 80, rows: 24, env: { NO_COLOR: '1' } })
  expect(coloured({ raw })).toEqual([])
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control sequences
  expect(raw).not.toMatch(/\u001b\[\d/)
  expect(screen).toMatch(/✓ connection\.active .* → 200/)
  expect(screen).toMatch(/✗ connection\.failed .* → 500/)
  expect(screen).toMatch(/✗ connection\.active .* not verified: missing header/)
})

it('in a pipe nothing of this is there: tabs, whole values, exact times', async () => {
  const piped = await emulator.text('bankapi accounts list | grep acc_AGGREGATOR_A_100104')
  expect(piped.split('\t')).toEqual([
    ...['acc_AGGREGATOR_A_100104', 'Home Mortgage', 'loan', 'mortgage', '0058', '-238411.90 USD', ''],
    expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
  ])
})

it('ages go by the clock of the service', async () => {
  await emulator.text('bankapi emulator advance 5d')
  const { screen } = await emulator.open('bankapi connections list --columns id,last_refreshed_at').ended
  expect(screen).toMatch(/con_FDE_123 .* \d+ (?:s|min|h) ago$/m)
})
