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
      'ID                              BALANCE\nacc_AGGREGATOR_A_100104  -238411.90 USD\n',
    )
  })

  test('columns are aligned, money on the right, a missing value is a dash', () => {
    expect(table(transactions, fields)).toBe(
      [
        'ID       DATE        DESCRIPTION      AMOUNT  MERCHANT NAME',
        'txn_A_1  2026-01-01  COFFEE       -12.34 USD  -',
        'txn_A_2  2026-01-02  寿司屋         1200 JPY  -',
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
    const shown = table(rows, fields.slice(0, 4), { width: 50 })
    expect(shown).toMatch(/^txn_A_1 {2}2026-01-01 {2}A VERY LONG DESC… {2}-12\.34 USD$/m)
  })

  test('an id as wide as the text beside it stays whole while the text shrinks', () => {
    const rows = [{ id: 'x'.repeat(30), description: 'y'.repeat(30) }]
    const shown = table(rows, [{ key: 'id', kind: 'id' }, { key: 'description' }], { width: 50 })
    expect(shown.split('\n')[1]).toBe(`${'x'.repeat(30)}  ${'y'.repeat(17)}…`)
  })

  test('still short, the column of lowest priority goes first, then the rightmost; the id goes last', () => {
    const rows = [{ ...transactions[0], description: 'A VERY LONG DESCRIPTION', merchant_name: 'MERCHANT' }]
    expect(table(rows, fields, { width: 44 }).split('\n')[0]).toBe(
      'ID       DATE        DESCRIPTION      AMOUNT',
    )
    expect(table(rows, fields, { width: 40 }).split('\n')[0]).toBe('ID       DATE        DESCRIPTION')
    expect(table(rows, fields, { width: 22 }).split('\n')[0]).toBe('ID       DATE')
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
