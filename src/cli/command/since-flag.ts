import { Flags } from '@oclif/core'
import { CalendarDate, DateTime } from '../../contract/shapes.ts'
import { UsageError } from '../errors/errors.ts'
import { parseDuration } from './duration.ts'

/** A point in time: an age such as `1h`, a date (midnight UTC) or an ISO-8601 timestamp. The value is Unix milliseconds. */
export const sinceFlag = Flags.custom<number>({
  helpValue: 'AGE|TIME',
  parse: async (text) => {
    if (CalendarDate.safeParse(text).success) return Date.parse(`${text}T00:00:00Z`)
    if (DateTime.safeParse(text).success) return Date.parse(text)
    try {
      return Date.now() - parseDuration(text)
    } catch {
      throw new UsageError(`"${text}" is neither an age nor a point in time`, {
        hint: 'Write it like 90s, 1h, 2026-01-31 or 2026-01-31T08:00:00Z',
      })
    }
  },
})
