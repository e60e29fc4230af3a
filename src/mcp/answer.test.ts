import { expect, test } from 'vitest'
import { resultOf } from './answer.ts'

const key = `${'Q'.repeat(40)}key`
const options = {
  environment: 'local',
  pii: false,
  redacted: (text: string) => text.replaceAll(key, '…'),
}

/** The text as an answer has it. */
function shown(text: string): unknown {
  const { structuredContent } = resultOf(options, { data: { text } })
  return (structuredContent as { text: unknown }).text
}

test.each([
  ['what may begin an address', `${'x'.repeat(10_000)} `],
  ['what may begin a field of JSON', `${'\\"'.repeat(20_000)}" `],
])('of 5 MB of %s the beginning is shown', (_what, part) => {
  const text = part.repeat(5_000_000 / part.length)
  expect(shown(text)).toBe(`${text.slice(0, 999)}…`)
})

test.each([
  ['the key in use', key],
  ['a signing secret', `whsec_${'Q'.repeat(40)}`],
  ['a token', `?token=${'Q'.repeat(40)}`],
  ['an e-mail address', `${'Q'.repeat(40)}@mail.example`],
])('no part of %s is shown, wherever it stands in a long text', (_what, secret) => {
  for (let before = 3700; before <= 4100; before++) {
    // What is invisible is shown as one space.
    const text = `a${'\u200b'.repeat(before)} ${secret} ${'b'.repeat(500)}`
    expect(shown(text), `after ${before}`).not.toContain('Q')
  }
})

test('the end of a text is shown as far as there is room', () => {
  const text = 'ab '.repeat(1400)
  expect(shown(text)).toBe(`${text.slice(0, 999)}…`)
  expect(shown(`a${'\u200b'.repeat(3000)}b`)).toBe('a b')
  expect(shown(`a${'\u200b'.repeat(5000)}b`)).toBe('a …')
})
