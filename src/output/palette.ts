/** Colours text by its meaning. Nothing is said by colour alone: the coloured word always carries the meaning. */
import type { ChalkInstance } from 'chalk'

export type Tone = 'plain' | 'dim' | 'bold' | 'good' | 'warn' | 'bad'

/** Colours text (already safe) by its meaning; returns it unchanged when colours are off. */
export type Paint = (tone: Tone, text: string) => string

/** A `Paint` without colours. */
export const plainPaint: Paint = (_tone, text) => text

/**
 * A `Paint` for one of the standard streams. Only `color` decides whether there are colours: without it chalk is not
 * even loaded. How many colours there are, chalk finds out; it is taken for 16 where chalk knows of none.
 */
export async function loadPaint(color: boolean, stream: 'stdout' | 'stderr'): Promise<Paint> {
  if (!color) return plainPaint
  const { Chalk, supportsColor, supportsColorStderr } = await import('chalk')
  const detected = stream === 'stdout' ? supportsColor : supportsColorStderr
  return paintWith(new Chalk({ level: detected === false || detected.level === 0 ? 1 : detected.level }))
}

/** A `Paint` with the colours of a chalk. */
export function paintWith(chalk: ChalkInstance): Paint {
  const styles = {
    dim: chalk.dim,
    bold: chalk.bold,
    good: chalk.green,
    // A dark yellow where there are enough colours: the usual one cannot be read on a white background.
    warn: chalk.level > 1 ? chalk.ansi256(136) : chalk.yellow,
    bad: chalk.red,
  }
  return (tone, text) => (tone === 'plain' ? text : styles[tone](text))
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
