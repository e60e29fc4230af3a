/** Retry-After, in seconds or as an HTTP date. */
import type { ReplyHeaders } from './options.ts'
import { header } from './wire.ts'

/**
 * How long the service asks to wait, in ms; undefined when it does not say or cannot be understood. A date is read
 * against the service's own Date header, so that a clock that is wrong here does not matter.
 */
export function retryAfterMs(headers: ReplyHeaders, now: number): number | undefined {
  const value = header(headers, 'retry-after')?.trim() ?? ''
  if (/^\d+$/.test(value)) return Number(value) * 1000
  const at = httpDate(value)
  if (at === undefined) return undefined
  return Math.max(0, at - (httpDate(header(headers, 'date')) ?? now))
}

function httpDate(text: string | undefined): number | undefined {
  // A date of HTTP begins with the day of the week; Date.parse alone would take much else.
  if (!text || !/^[A-Z][a-z]{2}/.test(text)) return undefined
  const time = Date.parse(text)
  return Number.isNaN(time) ? undefined : time
}
