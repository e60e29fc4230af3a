import { describe, expect, it } from 'vitest'
import { parseDuration } from './duration.ts'

describe('a duration', () => {
  it.each([
    ['90s', 90_000],
    ['5m', 300_000],
    ['24h', 86_400_000],
    ['7d', 604_800_000],
    ['2w', 1_209_600_000],
    ['1h30m', 5_400_000],
    ['250ms', 250],
    ['1.5s', 1500],
    ['30', 30_000],
    ['0s', 0],
    [' 10s ', 10_000],
  ])('%s is %i ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms)
  })

  it.each(['', 'soon', '5 m', '-5m', '5y', 'm5', '5m!', '1e9d', '99999999d', '5m5'])(
    '"%s" is none',
    (text) => {
      expect(() => parseDuration(text)).toThrow(/not a duration/)
    },
  )
})
