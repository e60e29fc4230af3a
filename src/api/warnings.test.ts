import { expect, test } from 'vitest'
import { z } from 'zod'
import type { ContractWarning } from './options.ts'
import { createWatcher } from './warnings.ts'

const item = z.looseObject({ id: z.string(), type: z.enum(['checking', 'savings']) })
const page = z.looseObject({ data: z.array(item), has_more: z.boolean() })

function watching() {
  const warnings: ContractWarning[] = []
  return { warnings, watch: createWatcher((warning) => warnings.push(warning)) }
}

const items = (count: number, type = 'checking') =>
  Array.from({ length: count }, () => ({ id: 'acc_1', type }))

test('a departure is told once for each operation, whichever item of a list it is in', () => {
  const { warnings, watch } = watching()
  const answer = { data: [...items(2), ...items(2, 'crypto')], has_more: false }
  watch('accounts.list', page, answer)
  watch('accounts.list', page, answer)
  watch('accounts.search', page, answer)
  expect(warnings).toEqual([
    {
      operation: 'accounts.list',
      at: 'data[].type',
      problem: 'unknown_value',
      message: 'accounts.list: data[].type has the unknown value "crypto"',
    },
    expect.objectContaining({ operation: 'accounts.search' }),
  ])
})

test('a field that is missing, and a value of another kind, which is not repeated, are told by their place', () => {
  const { warnings, watch } = watching()
  watch('accounts.get', item, { type: 12345678 })
  watch('accounts.get', item, { id: ['4929 1111'], type: 'savings' })
  watch('accounts.get', item, 'secret')
  watch('accounts.get', item, null)
  expect(warnings.map(({ at, problem, message }) => [at, problem, message])).toEqual([
    ['id', 'missing', 'accounts.get: id is missing'],
    ['type', 'unexpected', 'accounts.get: type is not as documented'],
    ['id', 'unexpected', 'accounts.get: id is not as documented, expected string'],
    ['the answer', 'unexpected', 'accounts.get: the answer is not as documented, expected object'],
  ])
  expect(JSON.stringify(warnings)).not.toMatch(/12345678|4929|secret/)
})

test('of an unknown value that is long the first 60 characters are told', () => {
  const { warnings, watch } = watching()
  watch('accounts.get', item, { id: 'acc_1', type: 'x'.repeat(60) })
  watch('accounts.get', item, { id: 'acc_1', type: 'y'.repeat(61) })
  expect(warnings.map(({ message }) => message.replace(/^[^"]*/, ''))).toEqual([
    `"${'x'.repeat(60)}"`,
    `"${'y'.repeat(60)}…"`,
  ])
})

test('after 1,000 items of a list the first ten of each page are checked', () => {
  const { warnings, watch } = watching()
  watch('accounts.list', page, { data: items(999), has_more: true })
  watch('accounts.list', page, { data: [...items(20), ...items(1, 'still checked')], has_more: true })
  watch('accounts.list', page, { data: [...items(10), ...items(1, 'not checked')], has_more: true })
  watch('accounts.list', page, { data: [...items(9), ...items(1, 'tenth')], has_more: true })
  watch('other.list', page, { data: [...items(20), ...items(1, 'another list')], has_more: true })
  // What is no list is checked whole.
  watch('accounts.list', page, { data: {}, has_more: 'yes' })
  expect(warnings.map(({ at, message }) => `${at} ${/"(.*)"/.exec(message)?.[1] ?? ''}`)).toEqual([
    'data[].type still checked',
    'data[].type tenth',
    'data[].type another list',
    'data ',
    'has_more ',
  ])
})
