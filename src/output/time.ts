/** Formats points in time. A calendar date (YYYY-MM-DD) is not one and is never converted. */

export interface Zone {
  /** Show UTC, marked `Z`, instead of local time. */
  readonly utc: boolean
  /** IANA name of the local zone; the zone of the machine when absent. */
  readonly timeZone?: string | undefined
}

/** A date-time with its offset: without one it names no point in time and is shown as it came. */
const pointInTime = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?([Zz]|[+-]\d{2}:?\d{2})$/

/** Milliseconds since 1970 of an ISO-8601 date-time with an offset; undefined for anything else. */
export function parseTime(text: string): number | undefined {
  if (!pointInTime.test(text)) return undefined
  const time = Date.parse(text)
  return Number.isNaN(time) ? undefined : time
}

/** A point in time (ms since 1970) as `2026-05-22 15:04:05` in local time, or `2026-05-22 13:04:05Z` in UTC. */
export function formatTime(time: number, zone: Zone): string {
  const date = new Date(time)
  if (zone.utc) return `${date.toISOString().slice(0, -5).replace('T', ' ')}Z`
  if (zone.timeZone !== undefined) return inZone(date, zone.timeZone)
  const two = (part: number) => String(part).padStart(2, '0')
  const day = `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
}

/** The time of day of a point in time, `15:04:05`, in the zone of `formatTime`. */
export function formatClock(time: number, zone: Zone): string {
  return formatTime(time, zone).slice(11, 19)
}

const formats = new Map<string, Intl.DateTimeFormat>()

function inZone(date: Date, timeZone: string): string {
  let format = formats.get(timeZone)
  if (format === undefined) {
    // Swedish writes dates as ISO does.
    format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
    formats.set(timeZone, format)
  }
  return format.format(date)
}

const units: readonly (readonly [name: string, seconds: number])[] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
]

/** The distance from `now` to `time` (both ms since 1970), in its largest unit: `3 hours ago`, `in 1 day`, `now`. */
export function formatDistance(time: number, now: number): string {
  const seconds = Math.round(Math.abs(time - now) / 1000)
  const [name, size] = units.find(([, size]) => seconds >= size) ?? ['', 0]
  if (size === 0) return 'now'
  const count = Math.floor(seconds / size)
  const distance = `${count} ${name}${count === 1 ? '' : 's'}`
  return time < now ? `${distance} ago` : `in ${distance}`
}

const shortUnits: readonly (readonly [name: string, seconds: number])[] = [
  ['y', 31_536_000],
  ['mo', 2_592_000],
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
]

/** `formatDistance` for a column: `3 h ago`, `12 min ago`, `in 2 d`, `now`. */
export function formatAge(time: number, now: number): string {
  const seconds = Math.round(Math.abs(time - now) / 1000)
  const [name, size] = shortUnits.find(([, size]) => seconds >= size) ?? ['', 0]
  if (size === 0) return 'now'
  const distance = `${Math.floor(seconds / size)} ${name}`
  return time < now ? `${distance} ago` : `in ${distance}`
}

/** A length of time in its two largest units: `45 ms`, `1.2 s`, `3 m 20 s`, `22 h 45 m`, `2 d 3 h`. */
export function formatDuration(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  if (hours === 0) return `${minutes} m ${seconds % 60} s`
  return hours < 48 ? `${hours} h ${minutes % 60} m` : `${Math.floor(hours / 24)} d ${hours % 24} h`
}
