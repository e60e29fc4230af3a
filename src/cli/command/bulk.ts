/** What commands share that do the same to many: their flags, ids from stdin, the file of what is left, and the summary. */
import { randomUUID } from 'node:crypto'
import { lstat, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { Flags } from '@oclif/core'
import { BankapiError } from '../../errors.ts'
import type { BulkResult, LeftItems, Stop } from '../../workflows/bulk.ts'
import { systemMessage, UsageError } from '../errors/errors.ts'
import { readText } from '../terminal/input.ts'
import { shellWord } from '../terminal/shell-word.ts'
import type { Terminal } from '../terminal/terminal.ts'

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

/** The first line of a CSV of ids: `triage -o csv --columns connection_id`. */
const headers = ['connection_id', 'id']

/** Characters of a line on stdin that an error shows. */
const MAX_SHOWN = 60

function shortened(line: string): string {
  const characters = [...line]
  return characters.length <= MAX_SHOWN ? line : `${characters.slice(0, MAX_SHOWN - 1).join('')}…`
}

/** The ids on stdin, each once. `check` throws for what is none. */
export async function idsFromStdin(
  terminal: Terminal,
  signal: AbortSignal,
  check: (id: string) => unknown,
): Promise<string[]> {
  const text = await readText(terminal, signal)
  const ids = new Set<string>()
  let first = true
  for (const [index, line] of text
    .replace(/^\u{feff}/u, '')
    .split('\n')
    .entries()) {
    const id = line.trim()
    if (id === '' || id.startsWith('#')) continue
    const isHeader = first && headers.includes(id)
    first = false
    if (isHeader) continue
    try {
      await check(id)
    } catch (error) {
      if (!(error instanceof BankapiError)) throw error
      const hint = error.hint ?? 'One id a line, as --left writes them'
      const sentence = error.sentence.replaceAll(id, () => shortened(id))
      throw new UsageError(`Line ${index + 1} of stdin: ${sentence}`, { code: error.code, hint })
    }
    ids.add(id)
  }
  return [...ids]
}

/**
 * The file of `--left`: replaced as a whole, or not at all. Each id is taken out of it before its request is sent, so that it
 * is right whenever the run is killed; at the end it is written also when there is nothing left.
 */
export class LeftFile implements LeftItems {
  readonly path: string
  #ids: readonly string[] = []
  readonly #taken = new Set<string>()
  readonly #underWay = new Set<string>()
  #writing: Promise<void> = Promise.resolve()
  /** A write that has not begun: it has every change made until it begins. */
  #next: Promise<void> | undefined

  private constructor(path: string) {
    this.path = path
  }

  /** @throws UsageError when it could not be written later, so that nothing is sent then. */
  static async prepare(path: string): Promise<LeftFile> {
    const found = await lstat(path).catch(() => undefined)
    if (found !== undefined && !found.isFile())
      throw new UsageError(`${path} is no ordinary file`, {
        code: 'not_a_file',
        hint: 'Name another file with --left',
      })
    const trial = temporary(path)
    try {
      await (await open(trial, 'wx', 0o600)).close()
    } catch (error) {
      throw new UsageError(`${path} cannot be written: ${systemMessage(error)}`, {
        code: 'not_writable',
        hint: 'Name another file with --left',
      })
    }
    await rm(trial, { force: true })
    return new LeftFile(path)
  }

  /** Whether anything may have been sent. */
  get begun(): boolean {
    return this.#ids.length > 0
  }

  begin(ids: readonly string[]): void {
    this.#ids = ids
  }

  take(id: string): Promise<void> {
    this.#taken.add(id)
    this.#underWay.add(id)
    return this.#update()
  }

  settled(id: string, isLeft: boolean): void {
    this.#underWay.delete(id)
    if (isLeft) this.#taken.delete(id)
    // What it cannot write is told by the next `take`, or at the end.
    this.#update().catch(() => undefined)
  }

  /** Waits for the writes before, and replaces what they wrote. */
  async write(ids: readonly string[]): Promise<void> {
    await this.#next?.catch(() => undefined)
    await this.#writing.catch(() => undefined)
    await this.#replace(ids, { flushed: true })
  }

  /** One write at a time; changes during one are written together by the next. */
  #update(): Promise<void> {
    this.#next ??= this.#writing
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined
        const left = this.#ids.filter((id) => !this.#taken.has(id))
        const underWay = [...this.#underWay].map((id) => `# under way: ${id}`)
        this.#writing = this.#replace([...left, ...underWay], { flushed: false })
        return this.#writing
      })
    return this.#next
  }

  async #replace(lines: readonly string[], { flushed }: { readonly flushed: boolean }): Promise<void> {
    const fresh = temporary(this.path)
    try {
      const file = await open(fresh, 'wx', 0o600)
      try {
        await file.writeFile(lines.map((line) => `${line}\n`).join(''))
        if (flushed) await file.sync()
      } finally {
        await file.close()
      }
      await rename(fresh, this.path)
    } catch (error) {
      await rm(fresh, { force: true })
      throw new BankapiError(`${this.path} cannot be written: ${systemMessage(error)}`, {
        code: 'not_writable',
        exit: 'unexpected',
        hint: 'What is left has the outcome "left" in the rows',
      })
    }
  }
}

function temporary(path: string): string {
  const whole = resolve(path)
  return join(dirname(whole), `.${basename(whole)}.${randomUUID()}.part`)
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

/** Says at the first Ctrl-C what happens until the end, which a second one does not wait for. */
export function tellInterruption(
  signal: AbortSignal,
  file: LeftFile | undefined,
  note: (sentence: string) => void,
): void {
  const tell = () => {
    if (file?.begun)
      note(`Interrupted: what is under way has a second to be answered; what was not sent is in ${file.path}`)
  }
  signal.addEventListener('abort', tell, { once: true })
}

/** `40 s`, `12 min` or `7 h`, rounded up. */
function inWords(ms: number): string {
  if (ms < 120_000) return `${Math.ceil(ms / 1000)} s`
  return ms < 7_200_000 ? `${Math.ceil(ms / 60_000)} min` : `${Math.ceil(ms / 3_600_000)} h`
}

type BulkExit = 'operationFailed' | 'rateLimited' | 'unreachable' | 'stillRunning'

/** The exit code of a bulk that nothing interrupted; undefined for 0. */
export function bulkExit({ summary, stop }: Pick<BulkEnd, 'summary' | 'stop'>): BulkExit | undefined {
  if (summary['failed'] || summary['unknown']) return 'operationFailed'
  if (summary['left']) return stop === 'unreachable' || stop === 'unanswered' ? 'unreachable' : 'rateLimited'
  return summary['running'] ? 'stillRunning' : undefined
}

/** Writes the file of what is left, at once: also when the rows cannot be written. A disk that refuses is told after them. */
export async function writeLeft(end: BulkEnd): Promise<BulkEnd> {
  try {
    await end.file?.write(end.left)
    return end
  } catch (error) {
    return { ...end, file: undefined, fatal: end.fatal ?? error }
  }
}

/** Says the last words once the rows are written. @throws what stopped it all, when that was no outcome of one. */
export function endBulk(
  end: BulkEnd,
  {
    note,
    warning,
    leaveWith,
    signal,
  }: {
    readonly note: (sentence: string) => void
    readonly warning: (sentence: string) => void
    readonly leaveWith: (name: BulkExit) => void
    readonly signal: AbortSignal
  },
): void {
  for (const sentence of lastWords(end)) note(sentence)
  if (end.unknown.length > 0)
    warning(`unknown, because the answer was lost: ${end.unknown.join(', ')}. ${end.aboutUnknown}`)
  if (end.fatal !== undefined) throw end.fatal
  if (end.stop === 'interrupted') throw signal.reason
  const exit = bulkExit(end)
  if (exit !== undefined) leaveWith(exit)
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
