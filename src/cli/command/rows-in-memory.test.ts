import { expect, test } from 'vitest'
import { RowsInMemory } from './rows-in-memory.ts'

const text = 'x'.repeat(100 * 1024 * 1024)

test('large rows end it before there are too many', () => {
  const rows = new RowsInMemory<unknown>('10', 'Stream them.')
  rows.add([{ id: 'a', text }])
  rows.add([{ id: 'b', nested: [{ text }] }])
  expect(() => rows.add([{ [text]: 1 }])).toThrow(
    expect.objectContaining({
      code: 'too_many_rows',
      message: 'The list has more than 256 MiB of rows, which have to be in memory at once',
    }),
  )
})

test('a setting for more rows lets them be larger, too', () => {
  const rows = new RowsInMemory<unknown>('200000', 'Stream them.')
  for (const id of ['a', 'b', 'c', 'd', 'e']) rows.add([{ id, text }])
  expect(() => rows.add([{ text }])).toThrow('512 MiB')
})
