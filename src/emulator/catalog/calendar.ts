/** Arithmetic on calendar dates written YYYY-MM-DD. Days have no time zone. */

const millisecondsPerDay = 86_400_000

function parse(date: string): Date {
  const parsed = new Date(`${date}T00:00:00Z`)
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date) || Number.isNaN(parsed.getTime())) {
    throw new RangeError(`not a calendar date: ${date}`)
  }
  return parsed
}

function format(date: Date): string {
  return date.toISOString().slice(0, 10)
}

export function addDays(date: string, days: number): string {
  return format(new Date(parse(date).getTime() + days * millisecondsPerDay))
}

/** Same day `months` later or earlier; the last day of the month where it has no such day. */
export function addMonths(date: string, months: number): string {
  const start = parse(date)
  const first = new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + months, 1))
  const last = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate()
  first.setUTCDate(Math.min(start.getUTCDate(), last))
  return format(first)
}

export function firstOfMonth(date: string): string {
  return `${format(parse(date)).slice(0, 7)}-01`
}

export function lastOfMonth(date: string): string {
  return addDays(addMonths(firstOfMonth(date), 1), -1)
}

/** 1 to 31. */
export function dayOfMonth(date: string): number {
  return parse(date).getUTCDate()
}

/** Every day from `from` to `to`, both included; none when `from` is after `to`. */
export function* daysBetween(from: string, to: string): Generator<string> {
  for (let day = from; day <= to; day = addDays(day, 1)) yield day
}
