import { describe, expect, test } from 'vitest'
import { hidden, redacted } from './redaction.ts'

const key = hidden('sk_live_5f0aé/+"\\-_~end'.replace('é', 'e'))
const portal = hidden('p0rtal/s3cret+with=signs')

const percentEncoded = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16)}`).join('')

describe('a secret of this run', () => {
  test.each([
    ['as it is', key],
    ['in JSON', JSON.stringify(key).slice(1, -1)],
    ['in an address', encodeURIComponent(key)],
    ['in base64', Buffer.from(key).toString('base64')],
    ['in base64url', Buffer.from(key).toString('base64url')],
    ['with each byte percent-encoded', percentEncoded(key)],
    ['with each byte percent-encoded in capitals', percentEncoded(key).toUpperCase()],
  ])('is replaced by its prefix, %s', (_, form) => {
    const line = redacted(`before ${form} after ${form}`)
    expect(line).toMatch(/^before sk_live_…\S{0,4} after sk_live_…\S{0,4}$/)
    expect(line).not.toContain('5f0a')
  })

  test.each(['Bearer ', '{"key":"', 'x', 'xy', 'xyz'])(
    'is found in base64 of a text with %j before it',
    (before) => {
      const text = `${before}${key}, and so on`
      for (const encoding of ['base64', 'base64url'] as const) {
        const line = redacted(Buffer.from(text).toString(encoding))
        expect(line).toContain('sk_live_…')
        // What is left of the key is part of its prefix and its last two characters.
        const left = line.split('sk_live_…').map((part) => Buffer.from(part, encoding).toString('latin1'))
        expect(left.join('')).not.toMatch(/5f0|_~e/)
      }
    },
  )

  test('without a prefix leaves nothing of itself', () => {
    expect(redacted(`trace=${portal}, ${encodeURIComponent(portal)}`)).toBe('trace=…, …')
  })
})

test('a secret of eight characters is hidden, one that has a prefix elsewhere than in front as a whole', () => {
  hidden('8letters')
  hidden('my_sk_test_thing')
  expect(redacted('8letters, my_sk_test_thing')).toBe('…, …')
})

test('every byte of it is percent-encoded with two digits, and base64 of either alphabet is found', () => {
  const secret = hidden('\tab ???>>>??? secret')
  const encoded = Buffer.from(secret).toString('base64')
  expect(encoded).toMatch(/\+.*\/|\/.*\+/)
  const percent = [...Buffer.from(secret)].map((byte) => `%${Buffer.of(byte).toString('hex')}`).join('')
  expect(redacted(percent)).toBe('…')
  for (const form of [encoded, Buffer.from(secret).toString('base64url')]) {
    expect(redacted(form)).toMatch(/^….{0,4}$/)
  }
})

test('a secret that is not known here has the form of one', () => {
  expect(redacted('sk_test_0123456789 whsec_0123456789 sk_live_0123…')).toBe(
    'sk_test_… whsec_… sk_live_0123…',
  )
})

test('a short text is in too many words to be looked for', () => {
  hidden('trace')
  expect(redacted('trace=1')).toBe('trace=1')
})
