import { Chalk } from 'chalk'
import fc from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import type { Field, FieldKind } from './fields.ts'
import { paintWith, plainPaint } from './palette.ts'
import { accountFields } from './resources.ts'
import { createView, type ViewOptions } from './view.ts'

const colored = paintWith(new Chalk({ level: 2 }))
const terminal = { width: 80, paint: plainPaint, tty: true, utc: true, now: () => 0 }
const table = (
  rows: readonly unknown[],
  fields?: readonly Field<unknown>[],
  options: Partial<ViewOptions> = {},
) => createView({ ...terminal, ...options }).table(rows, fields)

const transactions = [
  {
    id: 'txn_A_1',
    amount: -12.34,
    iso_currency_code: 'USD',
    description: 'COFFEE',
    date: '2026-01-01',
    pending: true,
  },
  {
    id: 'txn_A_2',
    amount: 1200,
    iso_currency_code: 'JPY',
    description: '寿司屋',
    date: '2026-01-02',
    pending: false,
  },
]
const fields: Field<unknown>[] = [
  { key: 'id', kind: 'id' },
  { key: 'date', kind: 'date' },
  { key: 'description' },
  { key: 'amount', kind: 'money' },
  { key: 'merchant_name', priority: -1 },
]

describe('on a terminal', () => {
  test('of accounts across Clients 40 columns show the balance rather than the Client', () => {
    const account = {
      client_id: 'cli_demo',
      id: 'acc_AGGREGATOR_A_100104',
      current_balance: -238411.9,
      iso_currency_code: 'USD',
      name: 'Home Mortgage',
      type: 'loan',
    }
    const client = { key: 'client_id', header: 'client', kind: 'id', priority: 8 } as const
    expect(table([account], [client, ...(accountFields as Field<unknown>[])], { width: 40 })).toBe(
      'ID                       BALANCE USD\nacc_AGGREGATOR_A_100104  -238,411.90\n',
    )
  })

  test('columns are aligned, money on the right, a missing value is a dash', () => {
    expect(table(transactions, fields)).toBe(
      [
        'ID       DATE        DESCRIPTION      AMOUNT  MERCHANT NAME',
        'txn_A_1  2026-01-01  COFFEE       -12.34 USD  -',
        'txn_A_2  2026-01-02  寿司屋        1,200 JPY  -',
        '',
      ].join('\n'),
    )
  })

  test('a calendar date is never shifted, whatever the zone', () => {
    for (const timeZone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
      const shown = table([{ date: '2026-01-01' }], [{ key: 'date', kind: 'date' }], { utc: false, timeZone })
      expect(shown).toContain('2026-01-01')
    }
  })

  test('short of width, the widest text shrinks and ids, dates and amounts stay whole', () => {
    const rows = [{ ...transactions[0], description: 'A VERY LONG DESCRIPTION OF A PAYMENT INDEED' }]
    const shown = table(rows, fields.slice(0, 4), { width: 55 })
    expect(shown).toMatch(/^txn_A_1 {2}2026-01-01 {2}A VERY LONG DESCRIPTI… {6}-12\.34$/m)
  })

  test('an id as wide as the text beside it stays whole while the text shrinks', () => {
    const rows = [{ id: 'x'.repeat(30), description: 'y'.repeat(30) }]
    const shown = table(rows, [{ key: 'id', kind: 'id' }, { key: 'description' }], { width: 50 })
    expect(shown.split('\n')[1]).toBe(`${'x'.repeat(30)}  ${'y'.repeat(17)}…`)
  })

  test('still short, the column of lowest priority goes first, then the rightmost; the id goes last', () => {
    const rows = [{ ...transactions[0], description: 'A VERY LONG DESCRIPTION', merchant_name: 'MERCHANT' }]
    expect(table(rows, fields, { width: 53 }).split('\n')[0]).toBe(
      'ID       DATE        DESCRIPTION           AMOUNT USD',
    )
    expect(table(rows, fields, { width: 52 }).split('\n')[0]).toBe('ID       DATE        DESCRIPTION')
    expect(table(rows, fields, { width: 22 }).split('\n')[0]).toBe('ID       DATE')
  })

  test('an amount has thousands separators, and its currency stands once above them when it is the same for all', () => {
    const amounts = [-1234.5, 12, null].map((amount) => ({ amount, iso_currency_code: 'USD' }))
    const money: Field<unknown>[] = [{ key: 'amount', kind: 'money' }]
    expect(table(amounts, money)).toBe('AMOUNT USD\n -1,234.50\n     12.00\n         -\n')
    const mixed = [...amounts, { amount: 1234567, iso_currency_code: 'JPY' }]
    expect(table(mixed, money).split('\n')).toEqual([
      '       AMOUNT',
      '-1,234.50 USD',
      '    12.00 USD',
      '            -',
      '1,234,567 JPY',
      '',
    ])
    const pairs = [{ total: { amount: 1e6, iso_currency_code: 'EUR' } }]
    expect(table(pairs, [{ key: 'total', kind: 'money' }])).toBe('   TOTAL EUR\n1,000,000.00\n')
  })

  test('income is set apart by a sign, and by colour where there is any', () => {
    const rows = [1760, -9.68, 0].map((amount) => ({ amount, iso_currency_code: 'USD' }))
    const money: Field<unknown>[] = [{ key: 'amount', kind: 'money', signed: true }]
    expect(table(rows, money)).toBe('AMOUNT USD\n +1,760.00\n     -9.68\n      0.00\n')
    expect(table(rows, money, { paint: colored })).toContain('\u001b[32m+1,760.00\u001b[39m\n')
    expect(table(rows, money, { tty: false })).toBe('1760.00 USD\n-9.68 USD\n0.00 USD\n')
  })

  test('a time has its age beside it, and short of width its age alone', () => {
    const now = () => Date.parse('2026-01-01T12:00:00Z')
    const rows = [
      { id: 'con_1', at: '2026-01-01T08:30:00Z' },
      { id: 'con_2', at: null },
      { id: 'con_3', at: '2026-01-03T12:00:00Z' },
    ]
    const columns: Field<unknown>[] = [
      { key: 'id', kind: 'id' },
      { key: 'at', kind: 'time' },
    ]
    const shown = (width: number) => table(rows, columns, { now, width }).split('\n').slice(1, -1)
    expect(shown(36)).toEqual([
      'con_1  2026-01-01 08:30:00Z  3 h ago',
      'con_2  -',
      'con_3  2026-01-03 12:00:00Z  in 2 d',
    ])
    expect(shown(35)).toEqual(['con_1  3 h ago', 'con_2  -', 'con_3  in 2 d'])
    expect(table(rows, columns, { now, tty: false })).toContain('con_1\t2026-01-01T08:30:00Z\n')
  })

  test('what tells rows apart is not cut while another column could go', () => {
    const rows = [{ id: 'acc_1', name: 'Voyage Card (overpaid)', note: 'x'.repeat(30), type: 'credit_card' }]
    const columns: Field<unknown>[] = [
      { key: 'id', kind: 'id' },
      { key: 'name', priority: 3, tells: true },
      { key: 'type', priority: 2 },
      { key: 'note', priority: 1 },
    ]
    const heads = (width: number) => table(rows, columns, { width }).split('\n')
    expect(heads(64)[1]).toBe(`acc_1  Voyage Card (overpaid)  credit_card  ${'x'.repeat(19)}…`)
    expect(heads(63)[1]).toBe('acc_1  Voyage Card (overpaid)  credit_card')
    expect(heads(41)[1]).toBe('acc_1  Voyage Card (overpaid)')
    expect(heads(28)[1]).toBe('acc_1  Voyage Card (overpai…')
  })

  test('texts that begin alike are cut in the middle, so that they still differ', () => {
    const rows = ['one', 'two'].map((end) => ({ id: 'x', text: `THE SAME BEGINNING OF ALL ${end}` }))
    const columns: Field<unknown>[] = [{ key: 'id', kind: 'id' }, { key: 'text' }]
    expect(table(rows, columns, { width: 25 })).toBe(
      'ID  TEXT\nx   THE SAME BEGIN…LL one\nx   THE SAME BEGIN…LL two\n',
    )
  })

  test('of another resource the id is cut in the middle, of the row itself it stays whole', () => {
    const rows = [{ id: 'txn_AGGREGATOR_A_16cc50211fb20fd6', connection_id: 'con_AGGREGATOR_A_0123456789ab' }]
    const columns: Field<unknown>[] = [
      { key: 'id', kind: 'id' },
      { key: 'connection_id', kind: 'id', priority: 5 },
    ]
    expect(table(rows, columns, { width: 55 }).split('\n')[1]).toBe(
      'txn_AGGREGATOR_A_16cc50211fb20fd6  con_AGGREGATO…6789ab',
    )
  })

  test('a column without any value goes first', () => {
    const rows = [{ id: 'con_1', error: null, status: 'active' }]
    const columns: Field<unknown>[] = [
      { key: 'id', kind: 'id' },
      { key: 'error', priority: 9 },
      { key: 'status', kind: 'status', priority: 1 },
    ]
    expect(table(rows, columns, { width: 20 })).toBe('ID     ERROR  STATUS\ncon_1  -      active\n')
    expect(table(rows, columns, { width: 19 })).toBe('ID     STATUS\ncon_1  active\n')
  })

  test('when not even two columns fit, each row is a block of lines with whole ids', () => {
    const id = 'con_AGGREGATOR_A_0123456789abcdef012345'
    const shown = table([{ id, date: '2026-01-01' }], fields.slice(0, 2), { width: 40 })
    expect(shown).toBe(`ID\n${id}\nDATE  2026-01-01\n`)
  })

  test('columns asked for by name are never left out', () => {
    const shown = table(transactions, fields, {
      width: 40,
      columns: ['id', 'date', 'amount', 'description', 'pending'],
    })
    for (const heading of ['ID', 'DATE', 'AMOUNT', 'DESCRIPTION', 'PENDING']) expect(shown).toContain(heading)
  })

  test('a status has a colour, and is a word without it', () => {
    const rows = [{ status: 'requires_action' }]
    expect(table(rows, [{ key: 'status', kind: 'status' }], { paint: colored })).toContain(
      '\u001b[38;5;136mrequires_action',
    )
    expect(table(rows, [{ key: 'status', kind: 'status' }])).toBe('STATUS\nrequires_action\n')
  })

  test('no line is ever wider than the terminal, wrapped or unsafe, for any data at 40 to 250 columns', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 120 }),
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.string({ maxLength: 80 }),
    )
    const kinds: FieldKind[] = ['text', 'id', 'money', 'number', 'date', 'time', 'status', 'boolean']
    const value = fc.oneof(
      text,
      fc.double(),
      fc.boolean(),
      fc.constant(null),
      fc.array(text),
      fc.dictionary(text, text),
    )
    const column = fc.record({
      kind: fc.constantFrom(...kinds),
      priority: fc.integer({ min: -2, max: 2 }),
      header: text,
    })
    const data = fc.array(column, { minLength: 1, maxLength: 10 }).chain((columns) =>
      fc.tuple(
        fc.constant(columns),
        fc.array(fc.array(value, { minLength: columns.length, maxLength: columns.length }), {
          minLength: 1,
          maxLength: 4,
        }),
      ),
    )
    fc.assert(
      fc.property(data, fc.integer({ min: 40, max: 250 }), fc.boolean(), ([columns, cells], width, color) => {
        const shown = table(
          cells.map((row) => Object.fromEntries(row.map((cell, at) => [`k${at}`, cell]))),
          columns.map((each, at) => ({ key: `k${at}`, ...each })),
          { width, paint: color ? colored : plainPaint },
        )
        for (const line of shown.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(width)
        // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours of the table itself
        expect(/[\p{Cc}\p{Cs}\u202a-\u202e]/u.test(shown.replace(/\u001b\[[\d;]+m|\n/g, ''))).toBe(false)
      }),
      { numRuns: 400 },
    )
  })
})

describe('in a pipe', () => {
  test('values are separated by tabs, whole and as on the wire, without headings; nothing for a missing one', () => {
    const long = 'x'.repeat(300)
    const rows = [{ id: 'op_1', at: '2026-01-01T00:00:00Z', ok: true, name: `a\tb\n${long}`, none: null }]
    const columns: Field<unknown>[] = [
      ...[
        { key: 'id' },
        { key: 'at', kind: 'time' as const },
        { key: 'ok' },
        { key: 'none' },
        { key: 'name' },
      ],
    ]
    expect(table(rows, columns, { tty: false })).toBe(`op_1\t2026-01-01T00:00:00Z\ttrue\t\ta⇥b⏎${long}\n`)
  })

  test('one line per row with as many tabs, for any data', () => {
    const rows = fc.array(fc.record({ a: fc.string({ unit: 'binary' }), b: fc.string({ unit: 'binary' }) }))
    fc.assert(
      fc.property(rows, (data) => {
        const lines = table(data, [{ key: 'a' }, { key: 'b' }], { tty: false }).split('\n')
        expect(lines).toHaveLength(data.length + 1)
        for (const line of lines.slice(0, -1)) expect(line.split('\t')).toHaveLength(2)
      }),
    )
  })
})

test('no rows, no text', () => {
  expect(table([], fields)).toBe('')
})
