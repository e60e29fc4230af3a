import { expect, test } from 'vitest'
import { availableColumns, type Field, inferFields, inferKind, readPath, selectFields } from './fields.ts'
import { OutputError } from './output-error.ts'

const rows = [
  { id: 'con_1', institution: { id: 'ins_1', name: 'First' }, scopes: ['a'] },
  { id: 'con_2', institution: { id: 'ins_2', name: 'Second' }, last_error: null },
]
const fields: Field<(typeof rows)[number]>[] = [
  { key: 'id', kind: 'id' },
  { key: 'institution.name', header: 'bank' },
]

test('a dotted path reads a nested value, and a key with a dot in it is found first', () => {
  expect(readPath(rows[0], 'institution.name')).toBe('First')
  expect(readPath({ 'a.b': 1, a: { b: 2 } }, 'a.b')).toBe(1)
  expect(readPath({ a: 1 }, 'a.b.c')).toBeUndefined()
})

test('a path never reaches into a prototype', () => {
  for (const path of [
    'constructor',
    'constructor.name',
    '__proto__',
    '__proto__.toString',
    'a.__proto__.toString',
  ]) {
    expect(readPath({ a: {} }, path), path).toBeUndefined()
  }
  expect(readPath({ a: 'text' }, 'a.length')).toBeUndefined()
})

test('the columns to choose from are the declared ones, the known ones, then what the rows hold', () => {
  expect(availableColumns(rows, fields, ['source'])).toEqual([
    ...['id', 'institution.name', 'source', 'institution.id', 'scopes', 'last_error'],
  ])
})

test('--columns keeps its own order and the declared field, and takes an object by its key', () => {
  const chosen = selectFields(['institution.name', ' id', 'institution', 'id'], rows, fields)
  expect(chosen.map(({ key }) => key)).toEqual(['institution.name', 'id', 'institution'])
  expect(chosen[0]?.header).toBe('bank')
})

test('an unknown column is a usage error that lists the valid ones', () => {
  const choose = () => selectFields(['id', 'nope', 'institutio'], rows, fields)
  expect(choose).toThrow(OutputError)
  expect(choose).toThrow('Unknown columns: nope, institutio')
  try {
    choose()
  } catch (error) {
    expect(error).toMatchObject({ exit: 'usage', hint: expect.stringContaining('institution.name') })
  }
  expect(() => selectFields([' '], rows)).toThrow('at least one')
})

test('a known column is valid although no row has it, and an empty list knows no wrong name', () => {
  expect(selectFields(['requires_desktop_app'], rows, [], ['requires_desktop_app'])).toHaveLength(1)
  expect(selectFields(['anything'], [])).toHaveLength(1)
})

test.each([
  ['id', 'con_1', 'id'],
  ['account_id', 'acc_1', 'id'],
  ['created_at', '2026-01-01T00:00:00Z', 'time'],
  ['payment_due_date', '2026-01-01', 'date'],
  ['status', 'active', 'status'],
  ['pending', true, 'boolean'],
  ['current_balance', 1, 'money'],
  ['liabilities.credit_limit', 1, 'money'],
  ['p95_latency_ms', 1, 'number'],
  ['name', 'x', 'text'],
])('the kind of %s is told by its name and value', (key, value, kind) => {
  expect(inferKind(key, value, { iso_currency_code: 'USD' })).toBe(kind)
})

test('rows nobody described show their flat values', () => {
  expect(inferFields(rows).map(({ key }) => key)).toEqual(['id', 'scopes'])
  expect(inferFields(['a', 'b']).map(({ key }) => key)).toEqual(['value'])
})
