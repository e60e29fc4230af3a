import { expect, test } from 'vitest'
import { assertKeyFits, displayedKey, expectedMode } from './api-key.ts'

const emulator = {
  pid: 1,
  started_at: '2026-01-02T03:04:05Z',
  sandbox: { base_url: 'http://127.0.0.1:4010/v3', api_key: 'sk_test_demo', portal_secret: 'portal_test' },
  live: { base_url: 'http://127.0.0.1:4011/v3', api_key: 'sk_live_demo', portal_secret: 'portal_live' },
  control_url: 'http://127.0.0.1:4010/_emulator/',
}
const live = emulator.live.base_url

test.each([
  ['live', undefined, undefined, 'live'],
  ['live', emulator.sandbox.base_url, emulator, 'live'],
  ['sandbox', live, emulator, 'test'],
  ['local', undefined, emulator, 'test'],
  ['local', live, undefined, 'test'],
  ['local', emulator.sandbox.base_url, emulator, 'test'],
  ['local', live, emulator, 'live'],
  ['local', 'http://localhost:4011/v3', emulator, 'live'],
] as const)('%s at %s takes a key of the mode it acts in', (environment, baseUrl, running, mode) => {
  expect(expectedMode(environment, baseUrl, running)).toBe(mode)
})

test('a key of the other mode is named as one, and where it belongs', () => {
  expect(() => assertKeyFits('sk_live_1', 'sandbox', 'test')).toThrow(
    expect.objectContaining({
      code: 'wrong_environment',
      message: expect.stringMatching(/is a live key; sandbox takes a test key \(sk_test_…\)/),
      hint: expect.stringContaining('--env'),
    }),
  )
  expect(() => assertKeyFits('sk_test_1', 'live', 'live')).toThrow(
    expect.objectContaining({
      message: expect.stringMatching(/is a test key; live takes a live key \(sk_live_…\)/),
    }),
  )
})

test.each(['whsec_1', 'my_sk_live_', 'my_sk_test_', ''.padEnd(9, 'x')])(
  '%s is no key of either mode',
  (text) => {
    expect(() => assertKeyFits(text, 'live', 'live')).toThrow(
      expect.objectContaining({
        code: 'wrong_environment',
        message: expect.stringContaining('does not start with sk_live_'),
      }),
    )
  },
)

test('a stored key that no header can carry is malformed, whatever it starts with', () => {
  expect(() => assertKeyFits('sk_live_1\r\nX-Evil: 1', 'live', 'live')).toThrow(
    expect.objectContaining({ code: 'malformed' }),
  )
  expect(() => assertKeyFits('sk_live_1', 'live', 'live')).not.toThrow()
})

test('of a key its prefix and four characters are shown', () => {
  expect(displayedKey('sk_live_abcdefgh')).toBe('sk_live_abcd…')
})
