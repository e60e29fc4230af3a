import { expect, test } from 'vitest'
import type { Transaction } from '../contract/transactions.ts'
import { cleaned, statementRow, transactionRow, utc } from './rows.ts'

const owner = { account_id: 'acc_1', client_id: 'cli_1' }
const transaction = (more: object = {}) =>
  ({
    id: 'txn_1',
    amount: -12.3,
    iso_currency_code: 'USD',
    date: '2026-03-10',
    description: 'CAFE',
    pending: false,
    ...more,
  }) as Transaction

test('the order of keys makes no difference, at any depth; a value does', () => {
  const row = transactionRow(transaction({ more: { a: 1, b: [{ c: 1, d: 2 }] } }), owner)
  const turned = { more: { b: [{ d: 2, c: 1 }], a: 1 }, ...transaction() }
  expect(transactionRow(turned as Transaction, owner)).toEqual(row)
  const other = transactionRow(transaction({ more: { a: 1, b: [{ c: 1, d: 3 }] } }), owner)
  expect(other.fingerprint).not.toBe(row.fingerprint)
  const swapped = transactionRow(transaction({ more: { a: 1, b: [{ d: 1, c: 2 }] } }), owner)
  expect(swapped.fingerprint).not.toBe(row.fingerprint)
})

test('the whole answer is kept, fields that nobody knows included', () => {
  const answer = JSON.parse('{"id":"txn_1","amount":1,"zeta":[null,1.5],"__proto__":{"b":1,"a":2}}')
  const { raw = '' } = transactionRow(answer, owner)
  expect(raw).toBe('{"__proto__":{"a":2,"b":1},"amount":1,"id":"txn_1","zeta":[null,1.5]}')
})

test('text that Postgres cannot store is replaced, in keys as well; anything else is the same object', () => {
  const answer = {
    id: 'txn\0',
    text: 'a\ud800b',
    list: ['\udc00'],
    'ke\0y': 1,
    fine: '😀 \\u0000',
    none: null,
  }
  expect(cleaned(answer)).toEqual({
    id: 'txn\ufffd',
    text: 'a\ufffdb',
    list: ['\ufffd'],
    'ke\ufffdy': 1,
    fine: '😀 \\u0000',
    none: null,
  })
  const clean = { text: '😀', list: [{ a: 1 }] }
  expect(cleaned(clean)).toBe(clean)
})

test('fields of another kind than the API says are null, and stay in raw', () => {
  const odd = transaction({ amount: '12', description: 7, date: '2026-02-31', category: {}, pending: 'yes' })
  expect(transactionRow(odd, owner)).toMatchObject({
    amount: null,
    amount_minor: null,
    description: null,
    category: null,
    pending: false,
    raw: expect.stringContaining('"description":7'),
  })
  expect(transactionRow(transaction({ date: '10/03/2026' }), owner).date).toBeNull()
  expect(transactionRow(transaction({ date: '2026-13-01' }), owner).date).toBeNull()
})

test('a time is UTC with milliseconds, and null when it is none', () => {
  expect(utc('2026-03-10T12:00:00+02:00')).toBe('2026-03-10T10:00:00.000Z')
  expect([utc(null), utc(undefined), utc('soon')]).toEqual([null, null, null])
})

test('a statement that comes without its account is the same as one with it', () => {
  const statement = { id: 'stmt_1', account_id: 'acc_1', source: 'FDE' } as Parameters<typeof statementRow>[0]
  const bare = { ...statement, account_id: null } as unknown as typeof statement
  expect(statementRow(bare, owner)).toEqual(statementRow(statement, owner))
})
