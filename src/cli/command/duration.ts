import { UsageError } from '../errors/errors.ts'

const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const

/**
 * Milliseconds of a duration such as `90s`, `5m`, `24h`, `1h30m`, `7d`; a bare number is seconds.
 * @throws UsageError for anything else, and for more than ten years.
 */
export function parseDuration(text: string): number {
  const trimmed = text.trim()
  const parts = [...trimmed.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d|w)/g)]
  const whole = parts.map((part) => part[0]).join('')
  const total = /^\d+(\.\d+)?$/.test(trimmed)
    ? Number(trimmed) * units.s
    : parts.reduce((sum, [, value, unit]) => sum + Number(value) * units[unit as keyof typeof units], 0)
  if (!/^\d+(\.\d+)?$/.test(trimmed) && (whole !== trimmed || parts.length === 0)) throw notADuration(text)
  if (!(total <= 3650 * units.d)) throw notADuration(text)
  return Math.round(total)
}

function notADuration(text: string): UsageError {
  return new UsageError(`"${text}" is not a duration`, { hint: 'Write it like 90s, 5m, 24h, 7d or 1h30m' })
}
