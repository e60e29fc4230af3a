import { expect, test } from 'vitest'
import { formatDistance, formatDuration, formatTime, parseTime } from './time.ts'

const summer = Date.parse('2026-07-01T22:30:05.250Z')

test('a point in time is shown in the local zone, or in UTC marked as such', () => {
  expect(formatTime(summer, { utc: false, timeZone: 'Asia/Tokyo' })).toBe('2026-07-02 07:30:05')
  expect(formatTime(summer, { utc: false, timeZone: 'America/New_York' })).toBe('2026-07-01 18:30:05')
  expect(formatTime(summer, { utc: true, timeZone: 'Asia/Tokyo' })).toBe('2026-07-01 22:30:05Z')
})

test('without a named zone it is the zone of the machine', () => {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  expect(formatTime(summer, { utc: false })).toBe(formatTime(summer, { utc: false, timeZone: zone }))
})

test('only a date-time with an offset is a point in time', () => {
  expect(parseTime('2026-07-01T22:30:05+02:00')).toBe(Date.UTC(2026, 6, 1, 20, 30, 5))
  expect(parseTime('2026-07-01T22:30:05')).toBeUndefined()
  expect(parseTime('2026-07-01')).toBeUndefined()
  expect(parseTime('2026-99-01T22:30:05Z')).toBeUndefined()
})

test.each([
  [0, 'now'],
  [-1_000, '1 second ago'],
  [-59_000, '59 seconds ago'],
  [-3 * 3_600_000, '3 hours ago'],
  [86_400_000, 'in 1 day'],
])('a distance is told in its largest unit: %d ms', (offset, shown) => {
  expect(formatDistance(summer + offset, summer)).toBe(shown)
})

test.each([
  [0, '0 ms'],
  [45.4, '45 ms'],
  [999.6, '1.0 s'],
  [59_960, '1 m 0 s'],
  [200_000, '3 m 20 s'],
  [3_599_600, '1 h 0 m'],
  [81_910_014, '22 h 45 m'],
  [51 * 3_600_000, '2 d 3 h'],
])('a length of time is told in its two largest units: %d ms', (ms, shown) => {
  expect(formatDuration(ms)).toBe(shown)
})
