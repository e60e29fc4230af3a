/** One run of a command that does the same to many: its progress line, the file of what is left, and how it ended. */
import { systemClock } from '../../machine/machine.ts'
import type { Progress } from '../../output/progress.ts'
import type { BulkResult } from '../../workflows/bulk.ts'
import type { BulkProgress } from '../../workflows/bulk-refresh.ts'
import {
  type BulkDocument,
  type BulkEnd,
  type BulkExit,
  bulkDocument,
  bulkExit,
  lastWords,
  progressLine,
} from './bulk.ts'
import type { LeftFile } from './left-file.ts'

/** What it needs of its command. */
interface BulkMeans {
  readonly progress: Pick<Progress, 'update'>
  readonly signal: AbortSignal
  readonly note: (sentence: string) => void
  readonly warning: (sentence: string) => void
  readonly leaveWith: (name: BulkExit) => void
}

interface BulkRow {
  readonly outcome: string
  /** Absent in rows about files, which the same command goes on with: neither `--left` nor a warning has their ids. */
  readonly connection_id?: string
}

/** How it ended, as far as the rows do not tell. */
type Ending = Omit<BulkResult<never, never>, 'settled'> &
  Partial<Pick<BulkEnd, 'skipped' | 'aboutUnknown' | 'again'>>

export class BulkRun {
  readonly #left: LeftFile | undefined
  readonly #means: BulkMeans
  readonly #started = systemClock.elapsed()
  #end: BulkEnd | undefined

  /** From then on the first Ctrl-C says what happens until the end, which a second one does not wait for. */
  constructor(means: BulkMeans, left?: LeftFile) {
    this.#left = left
    this.#means = means
    const tell = () => {
      if (left?.begun)
        means.note(
          `Interrupted: what is under way has a second to be answered; what was not sent is in ${left.path}`,
        )
    }
    means.signal.addEventListener('abort', tell, { once: true })
  }

  /** An arrow function, so that it can be passed to a workflow. */
  readonly onProgress = (now: BulkProgress): void =>
    this.#means.progress.update({
      text: progressLine(now, systemClock.elapsed() - this.#started),
      done: now.done + now.failed,
      total: now.total,
    })

  /**
   * Makes the result of its rows. Writes the file of what is left at once: also when the rows cannot be written. A disk that
   * refuses is told after them.
   */
  end<Row extends BulkRow>(
    rows: readonly Row[],
    { aboutUnknown = '', again = '', ...ending }: Ending,
  ): BulkDocument<Row> {
    const document = bulkDocument(rows)
    const { summary } = document
    const left = connectionsOf(rows, 'left')
    const unknown = connectionsOf(rows, 'unknown')
    this.#end = { ...ending, summary, left, unknown, aboutUnknown, again, file: this.#left }
    try {
      this.#left?.write(left)
    } catch (error) {
      this.#end = { ...this.#end, file: undefined, fatal: ending.fatal ?? error }
    }
    return document
  }

  /** Says the last words once the rows are written. @throws what stopped it all, when that was no outcome of one. */
  tellEnd(): void {
    const end = this.#end
    if (end === undefined) return
    const { note, warning, leaveWith, signal } = this.#means
    for (const sentence of lastWords(end)) note(sentence)
    if (end.unknown.length > 0)
      warning(`unknown, because the answer was lost: ${end.unknown.join(', ')}. ${end.aboutUnknown}`)
    if (end.fatal !== undefined) throw end.fatal
    if (end.stop === 'interrupted') throw signal.reason
    const exit = bulkExit(end)
    if (exit !== undefined) leaveWith(exit)
  }
}

function connectionsOf(rows: readonly BulkRow[], wanted: string): string[] {
  return rows.flatMap(({ outcome, connection_id }) => (outcome === wanted ? (connection_id ?? []) : []))
}
