import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { renderYaml } from './yaml.ts'

const forbidden = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069\u200b\ufeff\u{e0000}-\u{e007f}]|\p{Cs}/u

test('reading it back gives the same value, and nothing a terminal would act on is in it, for any JSON', async () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc
      .array(fc.constantFrom('\n', '\t', '\u001b', '\u202e', ' ', 'a', ':', '#', '\u{e0041}', '"'))
      .map((all) => all.join('')),
  )
  const json = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      text,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      tie('list'),
      tie('object'),
    ),
    list: fc.array(tie('value'), { maxLength: 4 }),
    object: fc.dictionary(text, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  }))
  await fc.assert(
    fc.asyncProperty(json.value, async (value) => {
      const yaml = await renderYaml(value)
      expect(parse(yaml)).toEqual(value)
      expect(forbidden.test(yaml.replace(/[\n\t]/g, ''))).toBe(false)
    }),
    { numRuns: 300 },
  )
})

test.each([' \n', 'a \nb', 'a\n b', '\n', 'a\nb\n'])(
  'spaces at the edge of a line survive: %j',
  async (text) => {
    expect(parse(await renderYaml({ text }))).toEqual({ text })
  },
)

test('it has the shape of the API, without anchors or folded lines', async () => {
  const shared = { id: 'ins_1', name: 'long name '.repeat(12).trim() }
  expect(await renderYaml({ data: [shared, shared], has_more: false })).toBe(
    `data:\n${`  - id: ins_1\n    name: ${shared.name}\n`.repeat(2)}has_more: false\n`,
  )
})
