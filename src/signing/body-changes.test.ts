import { expect, test, vi } from 'vitest'
import { bodiesBefore } from './body-changes.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

/** The bodies that could have become this one, by what happened to them. */
function before(body: string | Uint8Array): Record<string, string> {
  const found = [...bodiesBefore(typeof body === 'string' ? bytes(body) : body)]
  return Object.fromEntries(found.map(({ change, bytes: was }) => [change, Buffer.from(was).toString()]))
}

test('only other bodies than this one are tried: each costs a signature for every known secret', () => {
  expect(before('a')).toEqual({ final_newline_removed: 'a\n' })
  expect(before('')).toEqual({ final_newline_removed: '\n' })
  expect(before('null')).toEqual({ final_newline_removed: 'null\n' })
  expect(before('"a"')).toEqual({ final_newline_removed: '"a"\n' })
  expect(before('{}')).toEqual({ final_newline_removed: '{}\n' })
})

test('one final newline is removed, with its carriage return; white space of all kinds', () => {
  expect(before('a\n\n')).toMatchObject({ final_newline_added: 'a\n', white_space_added: 'a' })
  expect(before('a\r\n')).toMatchObject({ final_newline_added: 'a', white_space_added: 'a' })
  expect(before('a \t\r\n ')).toMatchObject({ white_space_added: 'a' })
  expect(before('\n')).toMatchObject({ final_newline_added: '', white_space_added: '' })
})

test('only line ends change: a carriage return elsewhere stays, and none is doubled', () => {
  expect(before('a\rb\r\nc\r')).toMatchObject({ lf_became_crlf: 'a\rb\nc\r' })
  expect(before('a\nb\r\nc')).toMatchObject({ lf_became_crlf: 'a\nb\nc' })
  expect(before('a\rb')).not.toHaveProperty('lf_became_crlf')
  expect(before('a\nb\r\nc\n\n')).toMatchObject({ crlf_became_lf: 'a\r\nb\r\nc\r\n\r\n' })
  expect(before('\na')).toMatchObject({ crlf_became_lf: '\r\na' })
  expect(before('a\r\nb')).not.toHaveProperty('crlf_became_lf')
})

test('only a whole byte order mark at the beginning is one', () => {
  expect(before('\u{feff}a')).toMatchObject({ byte_order_mark_added: 'a' })
  for (const other of ['a\u{feff}', '\u{fefe}', '\u{fe3f}a', 'aa\u{feff}']) {
    expect(before(other)).not.toHaveProperty('byte_order_mark_added')
  }
  expect(before(Uint8Array.of(0xef, 0xbb))).not.toHaveProperty('byte_order_mark_added')
})

test('JSON is written as each serialiser does, null and characters beyond ASCII included', () => {
  expect(before(' { "ä": [null, 1], "b": {} }')).toEqual({
    final_newline_removed: ' { "ä": [null, 1], "b": {} }\n',
    json_loosened: '{"ä":[null,1],"b":{}}',
    json_compacted: '{"ä": [null, 1], "b": {}}',
    json_unindented: '{\n  "ä": [\n    null,\n    1\n  ],\n  "b": {}\n}',
    json_unescaped: '{"\\u00e4":[null,1],"b":{}}',
    json_unescaped_and_compacted: '{"\\u00e4": [null, 1], "b": {}}',
  })
  expect(before('{"a" :1}')).toMatchObject({ json_compacted: '{"a": 1}' })
  expect(before('"\u{7f}~\u{1f600}"')).toMatchObject({ json_unescaped: '"\\u007f~\\ud83d\\ude00"' })
})

test('a body that is no JSON, or no UTF-8, is not written as JSON', () => {
  expect(before('{"a": 1')).toEqual({ final_newline_removed: '{"a": 1\n' })
  const notUtf8 = Uint8Array.of(0x20, 0x22, 0xff, 0x22)
  expect(Object.keys(before(notUtf8))).toEqual(['final_newline_removed'])
})

test('a body of 256 KiB is rewritten, a larger one is not', () => {
  const limit = 256 * 1024
  expect(before('a'.repeat(limit))).toHaveProperty('final_newline_removed')
  expect(before('a'.repeat(limit + 1))).toEqual({})
})

test('JSON nested more than 64 deep is neither parsed nor written: each level would make an indented line longer', () => {
  const parse = vi.spyOn(JSON, 'parse')
  const nested = (depth: number) => ` ${'['.repeat(depth)}${']'.repeat(depth)}`
  expect(Object.keys(before(nested(65)))).toEqual(['final_newline_removed'])
  expect(parse).not.toHaveBeenCalled()
  parse.mockRestore()
  expect(before(nested(64))).toHaveProperty('json_unindented')
})
