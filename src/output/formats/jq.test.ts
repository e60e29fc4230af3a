import { describe, expect, test } from 'vitest'
import { OutputError } from '../output-error.ts'
import { matchingJq, renderJq } from './jq.ts'

const page = {
  data: [
    { id: 'con_1', name: 'A\u001b[2J\nB', status: 'active' },
    { id: 'con_2', status: 'failed' },
  ],
}
const jq = (program: string, terminal = false, data: unknown = page) => renderJq(data, program, terminal)

test('prints each result on a line: strings raw, everything else as compact JSON', async () => {
  expect(await jq('.data[].id')).toBe('con_1\ncon_2\n')
  expect(await jq('.data | map({id}), length, null')).toBe('[{"id":"con_1"},{"id":"con_2"}]\n2\nnull\n')
})

test('no result prints nothing, and an empty string is an empty line', async () => {
  expect(await jq('.data[] | select(.status == "none")')).toBe('')
  expect(await jq('"", " a "')).toBe('\n a \n')
})

test('raw strings are exact in a pipe and made safe on a terminal, keeping newlines and the tabs of @tsv', async () => {
  expect(await jq('.data[0].name')).toBe('A\u001b[2J\nB\n')
  expect(await jq('.data[0].name', true)).toBe('A\\x1b[2J\nB\n')
  expect(await jq('[.data[].id] | @tsv', true)).toBe('con_1\tcon_2\n')
})

test('JSON out of jq is safe in both', async () => {
  expect(await jq('[.a]', false, { a: '\u009b\u202e' })).toBe('["\\u009b\\u202e"]\n')
})

test('any JSON document is an input, an array and a lone value too', async () => {
  expect(await jq('length', false, [1, 2])).toBe('2\n')
  expect(await jq('.', false, null)).toBe('null\n')
  expect(await jq('.', false, 'text')).toBe('text\n')
})

test('half of a surrogate pair, which no jq reads, becomes U+FFFD; pairs and text that looks like one stay', async () => {
  const data = { lone: 'a\ud800b', last: '\udc00', pair: '😀\u{e0041}', text: '\\ud800' }
  expect(await jq('.lone, .last, .pair, .text', false, data)).toBe('a\ufffdb\n\ufffd\n😀\u{e0041}\n\\ud800\n')
})

describe('a program with a mistake', () => {
  test.each([
    ['.data[', /does not compile: .*unexpected end of file/s],
    ['nope', /does not compile: nope\/0 is not defined/],
    ['  ', /does not compile: empty program/],
    ['.data.id', /failed on this document: Cannot index array with string/],
    ['error("mine")', /failed on this document: mine/],
  ])('%s is a usage error that says what jq said', async (program, message) => {
    const failure = await jq(program).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(OutputError)
    expect(failure).toMatchObject({ exit: 'usage', message: expect.stringMatching(message) })
    expect(String(failure)).not.toMatch(/jq: error|jq-wasm|raw query/)
  })

  test('what begins with a dash is a program and not an option', async () => {
    await expect(jq('--help')).rejects.toBeInstanceOf(OutputError)
  })
})

test('a program sees no file and no secret of this machine', async () => {
  process.env['BANKAPI_TEST_SECRET'] = 'sk_live_secret'
  expect(await jq('$ENV | tostring')).not.toContain('sk_live_secret')
  await expect(jq('import "/etc/passwd" as $p; $p')).rejects.toBeInstanceOf(OutputError)
})

test('matchingJq says for each document whether any result is neither false nor null, in batches', async () => {
  const documents = Array.from({ length: 2500 }, (_, n) => ({ n }))
  const even = await matchingJq(documents, '.n % 2 == 0')
  expect(even).toEqual(documents.map(({ n }) => n % 2 === 0))
  expect(await matchingJq([{ a: null }, { a: 0 }, {}], '.a, false # a comment')).toEqual([false, true, false])
  expect(await matchingJq([{}], 'empty')).toEqual([false])
  expect(await matchingJq([], '.a')).toEqual([])
  await expect(matchingJq([], '.a ===')).rejects.toThrow('does not compile')
})
