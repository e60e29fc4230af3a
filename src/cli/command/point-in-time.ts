/** Reads the points in time that people write: `yesterday`, `7d`, `2026-01-31`, `2026-01-31T08:00:00Z`. */
import { CalendarDate, DateTime } from '../../contract/shapes.ts'
import { UsageError } from '../errors/errors.ts'
import { parseDuration } from './duration.ts'

export interface PointInTime {
  /** Unix milliseconds; of a date, midnight UTC, and of `today` and `yesterday`, midnight here. */
  readonly at: number
  /** YYYY-MM-DD: as written where a date was, else that of this machine's time zone. */
  readonly date: string
}

/**
 * `now` is in Unix milliseconds. A duration is an age; a number of nine digits and more is Unix seconds.
 * @throws UsageError for anything else.
 */
export function parsePointInTime(text: string, now: number): PointInTime {
  const written = text.trim().toLowerCase()
  if (written === 'now') return { at: now, date: localDate(now) }
  if (written === 'today' || written === 'yesterday') return midnight(now, written === 'today' ? 0 : 1)
  if (CalendarDate.safeParse(written).success)
    return { at: Date.parse(`${written}T00:00:00Z`), date: written }
  const iso = written.toUpperCase()
  if (DateTime.safeParse(iso).success) return { at: Date.parse(iso), date: iso.slice(0, 10) }
  if (/^\d{9,12}$/.test(written))
    return { at: Number(written) * 1000, date: localDate(Number(written) * 1000) }
  // A year or a date without dashes is no number of seconds.
  const age = /^\d+$/.test(written) ? undefined : ageOf(written)
  if (age === undefined) {
    throw new UsageError(`"${text}" is not a point in time`, {
      hint: 'Write it like today, yesterday, 7d (so long ago), 2026-01-31 or 2026-01-31T08:00:00Z',
    })
  }
  return { at: now - age, date: localDate(now - age) }
}

function ageOf(text: string): number | undefined {
  try {
    return parseDuration(text.replace(/ ago$/, ''))
  } catch {
    return undefined
  }
}

function midnight(now: number, daysBefore: number): PointInTime {
  const date = new Date(now)
  // Not 24 hours before: a day may have 23 or 25.
  date.setDate(date.getDate() - daysBefore)
  date.setHours(0, 0, 0, 0)
  return { at: date.getTime(), date: localDate(date.getTime()) }
}

function localDate(at: number): string {
  return new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 10)
}
