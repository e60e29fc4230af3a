import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Paint, plainPaint } from './palette.ts'
import { createView } from './view.ts'

const terminal = createView({
  width: 40,
  paint: plainPaint,
  tty: true,
  timeZone: 'Europe/Berlin',
  now: () => Date.parse('2026-07-01T13:30:00Z'),
})
const pipe = createView({ width: 40, paint: plainPaint, tty: false, now: () => 0 })

const account = {
  id: 'acc_FDE_1',
  name: 'Giro\u001b[2J',
  current_balance: -5,
  iso_currency_code: 'EUR',
  mask: null,
  subtype: undefined,
  last_refreshed_at: '2026-07-01T10:00:00Z',
  liabilities: { credit_limit: 1000, payment_due_date: '2026-08-01' },
  scopes: ['a', 'b'],
  problems: [{ code: 'x', message: 'y' }, { code: 'z' }],
}

test('on a terminal a resource is key and value, nested objects indented, money in its currency, times local', () => {
  expect(terminal.record(account)).toBe(
    [
      'id:                 acc_FDE_1',
      'name:               Giro\\x1b[2J',
      'current_balance:    -5.00 EUR',
      'iso_currency_code:  EUR',
      'mask:               -',
      'last_refreshed_at:  2026-07-01 12:00:00  3 h ago',
      'liabilities:',
      '  credit_limit:      1,000.00 EUR',
      '  payment_due_date:  2026-08-01',
      'scopes:             a, b',
      'problems:',
      '  - code:     x',
      '    message:  y',
      '  - code:  z',
      '',
    ].join('\n'),
  )
})

test('its labels are quiet, and long text is wrapped beside them without breaking a word', () => {
  const paint: Paint = (tone, text) => (tone === 'plain' ? text : `<${tone}>${text}</>`)
  const url = `https://bank.example/${'x'.repeat(40)}`
  const view = createView({ width: 40, paint, tty: true, now: () => 0 })
  expect(view.record({ id: 'con_1', message: 'The bank asks the user a question first', url })).toBe(
    [
      '<dim>id:</>       <bold>con_1</>',
      '<dim>message:</>  The bank asks the user a',
      '          question first',
      `<dim>url:</>      ${url}`,
      '',
    ].join('\n'),
  )
})

test('in a pipe its colours are those of a terminal, when they are forced', () => {
  const paint: Paint = (tone, text) => (tone === 'plain' ? text : `<${tone}>${text}</>`)
  const view = createView({ width: 40, paint, tty: false, now: () => 0 })
  const row = { id: 'con_1', status: 'failed' }
  expect(view.record(row)).toBe('<bold>id:</>\tcon_1\n<bold>status:</>\t<bad>failed</>\n')
  expect(view.table([row])).toBe('con_1\t<bad>failed</>\n')
})

test('in a pipe it is a tab after the dotted key, and values as on the wire', () => {
  expect(pipe.record(account).split('\n')).toEqual([
    'id:\tacc_FDE_1',
    'name:\tGiro\\x1b[2J',
    'current_balance:\t-5.00 EUR',
    'iso_currency_code:\tEUR',
    'mask:\t',
    'last_refreshed_at:\t2026-07-01T10:00:00Z',
    'liabilities.credit_limit:\t1000.00 EUR',
    'liabilities.payment_due_date:\t2026-08-01',
    'scopes:\ta, b',
    'problems:\t[{"code":"x","message":"y"},{"code":"z"}]',
    '',
  ])
})

test('given fields choose and order the lines, and one the resource lacks is left out', () => {
  const shown = terminal.record(account, [
    { key: 'current_balance', header: 'balance' },
    { key: 'nope' },
    { key: 'id' },
  ])
  expect(shown).toBe('balance:  -5.00 EUR\nid:       acc_FDE_1\n')
})

test('no key or value brings a control character or a line of its own, for any JSON', () => {
  const nasty = fc.string({ unit: 'binary' })
  const json = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      nasty,
      fc.integer(),
      tie('object'),
      fc.array(tie('value'), { maxLength: 3 }),
    ),
    object: fc.dictionary(nasty, tie('value'), { maxKeys: 4 }),
  }))
  fc.assert(
    fc.property(json.object, (value) => {
      for (const view of [terminal, pipe]) {
        expect(/[\p{Cc}\p{Cs}\u202e]/u.test(view.record(value).replace(/[\n\t]/g, ''))).toBe(false)
      }
      expect(pipe.record(value)).toMatch(/^([^\t\n]*:\t[^\t\n]*\n)*$/)
    }),
  )
})
