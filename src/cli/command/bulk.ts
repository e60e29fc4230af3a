/** What commands share that do the same to many: their flags, rows, summary, last words and exit code. */
import { Flags } from '@oclif/core'
import type { BulkResult, Stop } from '../../workflows/bulk.ts'
import { shellWord } from '../terminal/shell-word.ts'
import type { LeftFile } from './left-file.ts'

/** On commands that do something to many. */
export const parallelFlags = {
  concurrency: Flags.integer({ summary: 'Of many: so many at once', min: 1, max: 64, default: 8 }),
  'keep-going': Flags.boolean({ summary: 'Of many: go on after one that fails' }),
}

/** On commands that take many Connections. */
export const bulkFlags = {
  stdin: Flags.boolean({
    summary: 'Read ids from stdin, one a line; a line that begins with # is none, nor is the header of a CSV',
  }),
  where: Flags.string({
    summary: 'Of these only Connections for which this jq expression is true',
    helpValue: 'EXPR',
  }),
  ...parallelFlags,
  left: Flags.string({
    summary: 'Keep the ids of those that are not done in this file, for --stdin',
    helpValue: 'FILE',
  }),
}

/** With one of these, one id is a bulk of one, too. */
export const manyFlags = ['where', 'left', 'keep-going', 'concurrency'] as const

/** A result of many: a row for each, and how many ended how. */
export interface BulkDocument<Row> {
  readonly data: readonly Row[]
  /** How many ended so, by outcome. */
  readonly summary: Readonly<Record<string, number>>
}

export function bulkDocument<Row extends { readonly outcome: string }>(
  data: readonly Row[],
): BulkDocument<Row> {
  const summary: Record<string, number> = {}
  for (const { outcome } of data) summary[outcome] = (summary[outcome] ?? 0) + 1
  return { data, summary }
}

export function isBulk(result: object): result is BulkDocument<never> {
  return 'data' in result && 'summary' in result
}

/** How a bulk ended, for its last words and its exit code. */
export interface BulkEnd extends Omit<BulkResult<never, never>, 'settled'> {
  readonly summary: Readonly<Record<string, number>>
  /** Why each that was skipped was. */
  readonly skipped?: readonly string[]
  /** What was not done, and may be done later. */
  readonly left: readonly string[]
  /** Where the answer was lost. */
  readonly unknown: readonly string[]
  /** What `unknown` means, and where to look. */
  readonly aboutUnknown: string
  /** The command that takes what is left on stdin. */
  readonly again: string
  readonly file: LeftFile | undefined
}

const stops: { readonly [Why in Stop]: string } = {
  interrupted: 'Interrupted',
  failure: 'Stopped after a failure; --keep-going goes on',
  limited: 'Stopped: the service refused three in a row (429)',
  unreachable: 'Stopped: three in a row could not be sent',
  unanswered: 'Stopped: three in a row were not answered',
  fatal: 'Stopped',
}

/** The words on stderr after the rows: how many ended how, and how to go on. */
export function lastWords({
  summary,
  skipped = [],
  stop,
  left,
  retryAfterMs,
  again,
  file,
}: BulkEnd): string[] {
  const counts = Object.entries(summary)
  const total = counts.reduce((sum, [, count]) => sum + count, 0)
  const parts = counts.map(([outcome, count]) => `${count} ${outcome}`)
  const how = stop === undefined ? '' : ` ${stops[stop]}.`
  const why = total > 0 && skipped.length === total ? ` Why: ${counted(skipped)}.` : ''
  const words = [`${total}: ${parts.join(', ') || 'nothing to do'}.${how}${why}`]
  if (left.length === 0) return words
  const when = retryAfterMs === undefined ? '' : ` in ${inWords(retryAfterMs)}`
  words.push(
    file === undefined
      ? `Those that are left have the outcome "left" in the rows; --left FILE keeps their ids${when === '' ? '' : `, to go on${when}`}.`
      : `Go on${when}: ${again} < ${shellWord(file.path)}`,
  )
  return words
}

/** `it works (2); its user has to act first (1)` */
function counted(reasons: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  return [...counts].map(([reason, count]) => `${reason} (${count})`).join('; ')
}

/** `40 s`, `12 min` or `7 h`, rounded up. */
function inWords(ms: number): string {
  if (ms < 120_000) return `${Math.ceil(ms / 1000)} s`
  return ms < 7_200_000 ? `${Math.ceil(ms / 60_000)} min` : `${Math.ceil(ms / 3_600_000)} h`
}

export type BulkExit = 'operationFailed' | 'rateLimited' | 'unreachable' | 'stillRunning'

/** The exit code of a bulk that nothing interrupted; undefined for 0. */
export function bulkExit({ summary, stop }: Pick<BulkEnd, 'summary' | 'stop'>): BulkExit | undefined {
  if (summary['failed'] || summary['unknown']) return 'operationFailed'
  if (summary['left']) return stop === 'unreachable' || stop === 'unanswered' ? 'unreachable' : 'rateLimited'
  return summary['running'] ? 'stillRunning' : undefined
}

/** `12 done, 2 failed, 36 left, about 20 s` */
export function progressLine(
  { total, done, failed }: { readonly total: number; readonly done: number; readonly failed: number },
  elapsedMs: number,
): string {
  const settled = done + failed
  const left = total - settled
  const seconds = settled === 0 ? undefined : Math.ceil(((elapsedMs / settled) * left) / 1000)
  const time =
    seconds === undefined
      ? ''
      : `, about ${seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`}`
  return `${done} done, ${failed} failed, ${left} left${left === 0 ? '' : time}`
}
