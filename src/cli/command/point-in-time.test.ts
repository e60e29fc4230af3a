import { afterEach, describe, expect, it, vi } from 'vitest'
import { parsePointInTime } from './point-in-time.ts'

/** 2026-03-09, 01:30 in Berlin. */
const now = Date.parse('2026-03-09T00:30:00Z')
const iso = (text: string) => new Date(parsePointInTime(text, now).at).toISOString()
const date = (text: string) => parsePointInTime(text, now).date

describe('a point in time', () => {
  afterEach(() => void vi.unstubAllEnvs())

  it('is a date, which begins at midnight UTC, or a timestamp with its offset', () => {
    expect(iso('2026-01-31')).toBe('2026-01-31T00:00:00.000Z')
    expect(iso('2026-01-31T08:00:00+02:00')).toBe('2026-01-31T06:00:00.000Z')
    expect(iso('2026-01-31t08:00:00z')).toBe('2026-01-31T08:00:00.000Z')
    expect([date('2026-01-31'), date('2026-01-31T23:00:00-05:00')]).toEqual(['2026-01-31', '2026-01-31'])
  })

  it('is so long ago, or Unix seconds', () => {
    expect([iso('90m'), iso('7d'), iso('1h30m'), iso('2d ago')]).toEqual([
      '2026-03-08T23:00:00.000Z',
      '2026-03-02T00:30:00.000Z',
      '2026-03-08T23:00:00.000Z',
      '2026-03-07T00:30:00.000Z',
    ])
    expect(iso('1790000000')).toBe('2026-09-21T14:13:20.000Z')
    expect(iso('now')).toBe(new Date(now).toISOString())
  })

  it('is today or yesterday, by the days of this machine', () => {
    vi.stubEnv('TZ', 'Europe/Berlin')
    expect([iso('today'), date('today')]).toEqual(['2026-03-08T23:00:00.000Z', '2026-03-09'])
    expect([iso('Yesterday'), date('yesterday')]).toEqual(['2026-03-07T23:00:00.000Z', '2026-03-08'])
    vi.stubEnv('TZ', 'America/New_York')
    expect([date('today'), date('yesterday'), date('now')]).toEqual([
      '2026-03-08',
      '2026-03-07',
      '2026-03-08',
    ])
    // The day on which the clocks there go forward has 23 hours.
    expect(iso('yesterday')).toBe('2026-03-07T05:00:00.000Z')
    expect(iso('today')).toBe('2026-03-08T05:00:00.000Z')
  })

  it.each(['', 'tomorrow', '2026', '20260131', '2026-02-30', '2026-01-31T08:00', '31.01.2026', '-1d', '7x'])(
    'is not %j',
    (text) => {
      expect(() => parsePointInTime(text, now)).toThrow('is not a point in time')
    },
  )
})
