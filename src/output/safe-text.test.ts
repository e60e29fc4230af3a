import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isUnsafe, safeBlock, safeJson, safeTabbed, safeText } from './safe-text.ts'

// Written out, not taken from the code under test.
const forbidden =
  /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c\u200b\u2060-\u2064\ufeff\u00ad\u{e0000}-\u{e007f}]|\p{Cs}/u

const anything = fc.string({ unit: 'binary' })
const nasty = fc
  .array(
    fc.constantFrom(
      ...[
        '\u001b[2J',
        '\u009b31m',
        '\n',
        '\r\n',
        '\r',
        '\t',
        '\u007f',
        '\u202e',
        '\u2066',
        '\u200d',
        '\u200b',
      ],
      ...[
        '\ufe0f',
        '\u{e0041}',
        '\ud800',
        '\udc00',
        '\u2028',
        '\u0000',
        'a',
        ' ',
        '7',
        '👩‍💻',
        '日本',
        '"',
        '\\',
      ],
    ),
  )
  .map((parts) => parts.join(''))
const text = fc.oneof(anything, nasty)

describe('safeText', () => {
  test('never lets a control, bidi, zero-width or tag character or a lone surrogate through, for any text', () => {
    fc.assert(fc.property(text, (value) => !forbidden.test(safeText(value))))
  })

  test('leaves text alone that is safe already, so doing it twice changes nothing', () => {
    fc.assert(fc.property(text, (value) => safeText(safeText(value)) === safeText(value)))
  })

  test('does so for every short sequence of what is kept in some places only', () => {
    const parts = [
      '\ufe0f',
      '\u200d',
      '\u180b',
      '\u17b4',
      '\u{e0100}',
      '\u20e3',
      '👩',
      '🏽',
      '°',
      '1',
      'क',
      'ᠠ',
      '葛',
    ]
    const sequences = parts.flatMap((a) =>
      parts.flatMap((b) => parts.flatMap((c) => parts.map((d) => a + b + c + d))),
    )
    expect(sequences.filter((value) => safeText(safeText(value)) !== safeText(value)).slice(0, 5)).toEqual([])
  })

  test.each([
    ['a terminal escape', '\u001b[31mred', '\\x1b[31mred'],
    ['C1 controls and DEL', 'a\u009bb\u007f', 'a\\x9bb\\x7f'],
    ['a newline', 'PAY\nEE', 'PAY⏎EE'],
    ['a Windows newline as one', 'PAY\r\nEE', 'PAY⏎EE'],
    ['a carriage return', 'ok\rfake', 'ok\\x0dfake'],
    ['a tab', 'a\tb', 'a⇥b'],
    ['line and paragraph separators', 'a\u2028b\u2029', 'a⏎b⏎'],
    ['a bidi override', 'abc\u202etxt.exe', 'abc\\u202etxt.exe'],
    ['a bidi isolate and marks', '\u2066\u200f\u061c', '\\u2066\\u200f\\u061c'],
    ['tag characters', 'a\u{e0041}', 'a\\u{e0041}'],
    ['a lone surrogate', 'a\ud800', 'a\\ud800'],
    ['a joiner hidden in an id', 'con_\u200d1', 'con_\\u200d1'],
    ['a variation selector hidden in an id', 'con_1\ufe0f2', 'con_1\\ufe0f2'],
    ['a Hangul filler', 'a\u3164', 'a\\u3164'],
  ])('shows %s visibly', (_what, value, shown) => {
    expect(safeText(value)).toBe(shown)
  })

  test.each(['Café Ünïcode', '日本語', '👩‍💻 👍🏽 ❤️ 1️⃣ 🇩🇪', 'नमस्ते क्‍ष', 'می‌خواهم', 'עברית', '葛󠄀'])(
    'keeps ordinary writing as it is: %s',
    (value) => expect(safeText(value)).toBe(value),
  )
})

describe('safeBlock and safeTabbed', () => {
  test('keep newlines (and tabs), and nothing else that safeText would not', () => {
    expect(safeBlock('a\r\nb\n\tc\u001b')).toBe('a\nb\n⇥c\\x1b')
    expect(safeTabbed('a\r\nb\n\tc\u001b')).toBe('a\nb\n\tc\\x1b')
    fc.assert(fc.property(text, (value) => !forbidden.test(safeBlock(value).replaceAll('\n', ''))))
    fc.assert(fc.property(text, (value) => !forbidden.test(safeTabbed(value).replace(/[\n\t]/g, ''))))
  })
})

describe('safeJson', () => {
  test('is valid, equal JSON and holds nothing a terminal would act on, for any value', () => {
    const value = fc.oneof(fc.jsonValue(), text, fc.dictionary(text, text))
    fc.assert(
      fc.property(value, fc.constantFrom(0, 2), (data, indent) => {
        const json = safeJson(data, indent)
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(data)))
        expect(forbidden.test(json.replaceAll('\n', ''))).toBe(false)
      }),
    )
  })

  test('writes what is beyond U+FFFF as a surrogate pair, and keeps ordinary letters readable', () => {
    expect(safeJson({ name: 'Zoë \u{e0041}\u009b' })).toBe('{"name":"Zoë \\udb40\\udc41\\u009b"}')
  })
})

test('isUnsafe is true for exactly the text that safeText changes', () => {
  fc.assert(fc.property(text, (value) => isUnsafe(value) === (safeText(value) !== value)))
})
