/** Writes rows to stdout or a file as they arrive: in constant memory, at the reader's pace, until the reader leaves. */
import type { Writable } from 'node:stream'
import { chosenColumns, type DocumentOptions, type StreamedFormat } from './document.ts'
import { type CsvWriter, createCsvWriter, csvColumns } from './formats/csv.ts'
import { ndjsonLines } from './formats/ndjson.ts'
import { createSink } from './sink.ts'

export interface StreamOptions extends Pick<DocumentOptions, 'columns' | 'fields' | 'known'> {
  readonly format: StreamedFormat
  readonly signal?: AbortSignal | undefined
}

export interface StreamResult {
  /** Rows written. */
  readonly rows: number
  /** Whether the reader went away (EPIPE, as with `| head`) before the end. */
  readonly closed: boolean
  /** CSV only: columns that appeared after the header was written and are therefore missing. */
  readonly dropped: readonly string[]
}

/** Rows that are read before the header of a CSV is written: two full pages. */
const sampleRows = 1000
/** Characters buffered before a write: one system call per row would cost more than the row. */
const chunkSize = 65_536

/** Rows as they arrive, for example a page of a list at a time. */
type Batches = AsyncIterable<readonly unknown[]> | Iterable<readonly unknown[]>

/**
 * Writes rows one per line. Buffered rows are written as soon as the source has to wait for more, so a slow
 * source is shown batch by batch. A reader that leaves ends it quietly and closes the source.
 * @returns how many rows were written and how it ended
 * @throws the signal's reason when it aborts (whole lines written until then), what the source or stream throws
 * otherwise, and OutputError (exit 2) for an unknown column
 */
export async function streamRows(
  batches: Batches,
  stream: Writable,
  options: StreamOptions,
): Promise<StreamResult> {
  const sink = createSink(stream, chunkSize, options.signal)
  const encoder = encoders[options.format](options)
  let count = 0
  try {
    for await (const rows of abortable(batches, options.signal)) {
      const text = await encoder.add(rows)
      count += rows.length
      if (text !== '') await sink.write(text)
      if (sink.closed) break
    }
    if (!sink.closed) await sink.write(await encoder.end())
  } finally {
    await sink.end()
  }
  return { rows: count, closed: sink.closed, dropped: encoder.dropped() }
}

interface Encoder {
  add(rows: readonly unknown[]): string | Promise<string>
  end(): string | Promise<string>
  dropped(): readonly string[]
}

const encoders: Readonly<Record<StreamedFormat, (options: StreamOptions) => Encoder>> = {
  ndjson: ndjsonEncoder,
  csv: csvEncoder,
}

function ndjsonEncoder(options: StreamOptions): Encoder {
  let columns: readonly string[] | undefined
  let first = true
  return {
    add(rows) {
      if (rows.length > 0 && first) {
        columns = chosenColumns(rows.slice(0, 1), options)
        first = false
      }
      return ndjsonLines(rows, columns)
    },
    end: () => '',
    dropped: () => [],
  }
}

/** Holds back the first rows to learn the columns, unless `--columns` named them. */
function csvEncoder(options: StreamOptions): Encoder {
  let writer: CsvWriter | undefined
  let held: unknown[] = []
  let columns: ReadonlySet<string> = new Set()
  const dropped = new Set<string>()
  const start = async () => {
    columns = new Set(chosenColumns(held, options) ?? [...csvColumns(held), ...(options.known ?? [])])
    writer = await createCsvWriter([...columns])
    const text = writer.header() + writer.lines(held)
    held = []
    return text
  }
  return {
    add(rows) {
      if (writer === undefined) {
        held.push(...rows)
        return held.length >= (options.columns === undefined ? sampleRows : 1) ? start() : ''
      }
      if (options.columns === undefined) {
        for (const path of csvColumns(rows)) if (!columns.has(path)) dropped.add(path)
      }
      return writer.lines(rows)
    },
    end: () => (writer === undefined ? start() : ''),
    dropped: () => [...dropped],
  }
}

/** The batches, until the signal aborts: also while the source hangs and does not listen to the signal itself. */
async function* abortable(
  batches: Batches,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly unknown[], void, undefined> {
  signal?.throwIfAborted()
  const source =
    Symbol.asyncIterator in batches ? batches[Symbol.asyncIterator]() : batches[Symbol.iterator]()
  let stop: ((reason: unknown) => void) | undefined
  const onAbort = () => stop?.(signal?.reason)
  signal?.addEventListener('abort', onAbort, { once: true })
  let finished = false
  try {
    while (true) {
      signal?.throwIfAborted()
      const next = await new Promise<IteratorResult<readonly unknown[]>>((resolve, reject) => {
        stop = reject
        Promise.resolve(source.next()).then(resolve, reject)
      })
      if (next.done) {
        finished = true
        return
      }
      yield next.value
    }
  } finally {
    signal?.removeEventListener('abort', onAbort)
    // Not awaited: a source that hangs would hang this too.
    if (!finished) Promise.resolve(source.return?.()).catch(() => undefined)
  }
}
