/** Colours text by its meaning. The text always carries the meaning itself; colour only repeats it. */
import { styleText } from 'node:util'

export type Tone = 'plain' | 'dim' | 'bold' | 'good' | 'warn' | 'bad'

/** Colours text (already safe) by its meaning; returns it unchanged when colours are off. */
export type Paint = (tone: Tone, text: string) => string

const styles = { dim: 'dim', bold: 'bold', good: 'green', warn: 'yellow', bad: 'red' } as const

/** A `Paint` that writes ANSI colours when `color` is true and plain text otherwise. */
export function createPaint(color: boolean): Paint {
  if (!color) return (_tone, text) => text
  return (tone, text) =>
    tone === 'plain' || text === '' ? text : styleText(styles[tone], text, { validateStream: false })
}

const statusTones: Readonly<Record<string, Tone>> = {
  active: 'good',
  succeeded: 'good',
  approved: 'good',
  verified: 'good',
  delivered: 'good',
  always: 'good',
  initiated: 'warn',
  requires_action: 'warn',
  queued: 'warn',
  pending: 'warn',
  needs_info: 'warn',
  sometimes: 'warn',
  failed: 'bad',
  disconnected: 'bad',
  denied: 'bad',
  revoked: 'bad',
  expired: 'bad',
  never: 'dim',
  skipped: 'dim',
  unsupported: 'dim',
}

/** The meaning of a status word of the API, in any case; a word it does not know is plain. */
export function statusTone(word: string): Tone {
  const key = word.toLowerCase()
  return Object.hasOwn(statusTones, key) ? (statusTones[key] ?? 'plain') : 'plain'
}
