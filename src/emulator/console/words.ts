/** Times, durations and ids as the console writes them. */
import { type Html, html } from '../pages/html.ts'

/** The time of day on this machine. */
export function wallTime(iso: string): Html {
  const time = new Date(iso)
  const parts = [time.getHours(), time.getMinutes(), time.getSeconds()]
  return html`<time datetime="${iso}" title="${iso}">${parts.map((part) => String(part).padStart(2, '0')).join(':')}</time>`
}

/** A moment on the emulator's clock, which is read in UTC. */
export function clockTime(iso: string): string {
  return iso.slice(0, 19).replace('T', ' ')
}

/** The time of day on the emulator's clock, for what has none on this machine. */
export function timeOfClock(iso: string): Html {
  const moment = clockTime(iso)
  return html`<time datetime="${iso}" title="${moment} UTC on the emulator’s clock">${moment.slice(11)}</time>`
}

/** `2 d 3 h`, the two largest units. */
export function duration(ms: number): string {
  const units: readonly (readonly [name: string, ms: number])[] = [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['min', 60_000],
    ['s', 1000],
  ]
  let left = Math.round(Math.abs(ms) / 1000) * 1000
  const parts = units.flatMap(([name, size]) => {
    const count = Math.floor(left / size)
    left -= count * size
    return count === 0 ? [] : [`${count} ${name}`]
  })
  return parts.slice(0, 2).join(' ') || '0 s'
}

/** The id that an event is about. */
export function subjectOf(body: string): string {
  const { data = {} } = JSON.parse(body) as { data?: Record<string, { id?: unknown } | string | undefined> }
  for (const value of Object.values(data)) {
    if (typeof value === 'object' && typeof value.id === 'string') return value.id
  }
  const { subscription_id: subscription } = data
  return typeof subscription === 'string' ? subscription : ''
}

/** Characters of its end that stay when an id is cut. */
const MIN_END = 8

/** An id that is cut in the middle where it does not fit: ids differ at both ends. */
export function cutInMiddle(id: string): Html {
  const end = Math.max(0, id.length - MIN_END)
  return html`<bdi class="id"><span>${id.slice(0, end)}</span><span>${id.slice(end)}</span></bdi>`
}
