import { expect, test } from 'vitest'
import { type DocumentOptions, renderDocument } from './document.ts'

const page = {
  data: [
    { id: 'con_1', institution: { id: 'ins_1', name: 'First, "Bank"' }, last_refreshed_at: null },
    { id: 'con_2', institution: { id: 'ins_2', name: '=cmd' } },
  ],
  next_cursor: 'c',
  has_more: true,
}
const empty = { data: [], next_cursor: null, has_more: false }
const render = (data: unknown, options: Partial<DocumentOptions>) =>
  renderDocument(data, { format: 'json', terminal: false, ...options })

test("json is the API's own shape, indented, on a terminal as in a pipe", async () => {
  expect(await render(page, {})).toBe(`${JSON.stringify(page, null, 2)}\n`)
  expect(await render({ name: '\u009b' }, { terminal: true })).toBe('{\n  "name": "\\u009b"\n}\n')
})

test('ndjson is one row per line, or the one document', async () => {
  expect(await render(page, { format: 'ndjson' })).toBe(
    page.data.map((row) => `${JSON.stringify(row)}\n`).join(''),
  )
  expect(await render({ id: 'op_1' }, { format: 'ndjson' })).toBe('{"id":"op_1"}\n')
  expect(await render(empty, { format: 'ndjson' })).toBe('')
})

test('ndjson with columns keeps the shape of what is left', async () => {
  const lines = await render(page, {
    format: 'ndjson',
    columns: ['institution.name', 'institution.id', 'last_refreshed_at'],
  })
  expect(lines.split('\n')[0]).toBe(
    '{"institution":{"name":"First, \\"Bank\\"","id":"ins_1"},"last_refreshed_at":null}',
  )
  expect(lines.split('\n')[1]).toBe('{"institution":{"name":"=cmd","id":"ins_2"}}')
})

test('a column that a row does not have is left out of it, as the API leaves it out', async () => {
  const rows = [{ id: 1, institution: { name: 'A' } }, { id: 2 }]
  expect(await render(rows, { format: 'ndjson', columns: ['id', 'institution.name'] })).toBe(
    '{"id":1,"institution":{"name":"A"}}\n{"id":2}\n',
  )
})

test('choosing columns never changes the rows themselves', async () => {
  const rows = [Object.freeze({ a: Object.freeze({ b: 1, c: 2 }) })]
  const both = await render(rows, { format: 'ndjson', columns: ['a', 'a.b'] })
  expect(both).toBe('{"a":{"b":1,"c":2}}\n')
})

test('csv has a header and dotted columns', async () => {
  expect(await render(page, { format: 'csv' })).toBe(
    'id,institution.id,institution.name,last_refreshed_at\ncon_1,ins_1,"First, ""Bank""",\ncon_2,ins_2,\'=cmd,\n',
  )
  expect(await render(page, { format: 'csv', columns: ['institution.name', 'id'] })).toBe(
    'institution.name,id\n"First, ""Bank""",con_1\n\'=cmd,con_2\n',
  )
})

test('an empty list is a csv with the header that is known, or nothing', async () => {
  expect(await render(empty, { format: 'csv' })).toBe('')
  expect(await render(empty, { format: 'csv', known: ['id', 'status'] })).toBe('id,status\n')
  expect(await render(empty, { format: 'csv', columns: ['id'] })).toBe('id\n')
})

test('yaml is the whole document', async () => {
  expect(await render(empty, { format: 'yaml' })).toBe('data: []\nnext_cursor: null\nhas_more: false\n')
})

test('--jq prints results', async () => {
  expect(await render(page, { jq: '.data[].id' })).toBe('con_1\ncon_2\n')
})

test('options that do not go together are a usage error', async () => {
  await expect(render(page, { columns: ['id'] })).rejects.toMatchObject({ exit: 'usage' })
  await expect(render(page, { format: 'yaml', columns: ['id'] })).rejects.toMatchObject({ exit: 'usage' })
  await expect(render(page, { format: 'csv', jq: '.' })).rejects.toMatchObject({ exit: 'usage' })
  await expect(render(page, { jq: '.', columns: ['id'] })).rejects.toMatchObject({ exit: 'usage' })
})

test('an unknown column is a usage error that lists the columns', async () => {
  await expect(render(page, { format: 'csv', columns: ['iban'] })).rejects.toMatchObject({
    exit: 'usage',
    message: 'Unknown column: iban',
    hint: expect.stringContaining('institution.name'),
  })
})
