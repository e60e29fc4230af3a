import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addDays, addMonths, dayOfMonth, daysBetween, firstOfMonth, lastOfMonth } from './calendar.ts'

const days = fc.integer({ min: -20_000, max: 40_000 }).map((offset) => addDays('2000-01-01', offset))

describe('calendar', () => {
  it('adds days over the ends of months and years', () => {
    expect(addDays('2024-02-28', 1)).toBe('2024-02-29')
    expect(addDays('2026-12-31', 1)).toBe('2027-01-01')
    expect(addDays('2026-03-01', -1)).toBe('2026-02-28')
  })

  it('keeps to the last day when a month is too short', () => {
    expect(addMonths('2026-01-31', 1)).toBe('2026-02-28')
    expect(addMonths('2024-03-31', -1)).toBe('2024-02-29')
    expect(addMonths('2026-11-15', 3)).toBe('2027-02-15')
  })

  it('finds the first and the last day of any month', () => {
    fc.assert(
      fc.property(days, (day) => {
        expect(dayOfMonth(firstOfMonth(day))).toBe(1)
        expect(dayOfMonth(addDays(lastOfMonth(day), 1))).toBe(1)
        expect([firstOfMonth(day) <= day, day <= lastOfMonth(day)]).toEqual([true, true])
      }),
    )
  })

  it('lists the days between two, both included, and none backwards', () => {
    expect([...daysBetween('2026-02-27', '2026-03-01')]).toEqual(['2026-02-27', '2026-02-28', '2026-03-01'])
    expect([...daysBetween('2026-03-01', '2026-02-28')]).toEqual([])
  })

  it('refuses what is no calendar date', () => {
    for (const date of ['', '2026-13-01', 'yesterday', '2026-1-1'])
      expect(() => addDays(date, 1)).toThrow(RangeError)
  })
})
