/** Renders results for people: records, tables, times and coloured words. Returns text and prints nothing. */
import { type BarRow, renderBars } from './bar.ts'
import type { Piece } from './delivery-line.ts'
import { type Field, inferFields, selectFields } from './fields.ts'
import { type Paint, statusTone } from './palette.ts'
import { renderRecord } from './record.ts'
import { safeText } from './safe-text.ts'
import { renderTable } from './table.ts'
import { formatDistance, formatTime, parseTime } from './time.ts'

export interface ViewOptions {
  /** Columns of the terminal; anything below 1 means unknown and counts as 80. */
  readonly width: number
  readonly paint: Paint
  /** Whether stdout is a terminal: people get tables cut to its width, pipes get tabs. */
  readonly tty: boolean
  readonly utc?: boolean
  /** IANA zone of local time; the machine's when absent. */
  readonly timeZone?: string
  /** Milliseconds since 1970: the time that `ago` is relative to. */
  readonly now: () => number
  /** The columns of `--columns`; every table then shows these instead of its own fields. */
  readonly columns?: readonly string[]
  /** Keys a resource may have, which `columns` may name although a record here has not all of them. */
  readonly known?: readonly string[]
}

export interface View {
  readonly width: number
  readonly tty: boolean
  /** Whether `--columns` says what to show. */
  readonly hasColumns: boolean
  /**
   * One resource as `key: value` lines: all its keys, the given fields, or the columns of `--columns`.
   * @throws OutputError (exit 2) when `--columns` names an unknown one
   */
  record<Row>(row: Row, fields?: readonly Field<Row>[]): string
  /**
   * Rows as a table; empty text for no rows. Without fields they are inferred from the rows. `known` are further
   * columns that `--columns` may name.
   * @throws OutputError (exit 2) when `--columns` names an unknown one
   */
  table<Row>(rows: readonly Row[], fields?: readonly Field<Row>[], known?: readonly string[]): string
  /** Numbers as bars on a terminal; in a pipe as rows of label and number. Empty text for no rows. */
  bars(rows: readonly BarRow[]): string
  /** The pieces of a line in their colours. They are safe already. */
  line(pieces: readonly Piece[]): string
  /** A point in time in the zone of this view; any other text comes back as it is, made safe. */
  time(iso: string): string
  /** The distance to a point in time: `3 hours ago`. */
  ago(iso: string): string
  /** A status word in the colour of its meaning. */
  status(word: string): string
  /** Text from outside, made safe for the terminal. */
  text(text: string): string
  dim(text: string): string
  bold(text: string): string
  good(text: string): string
  warn(text: string): string
  bad(text: string): string
}

/** A view for one stream. Its words (`dim`, `status`, ...) make their text safe before colouring it. */
export function createView(options: ViewOptions): View {
  const { columns, tty, now, timeZone, paint } = options
  const width = options.width >= 1 ? Math.floor(options.width) : 80
  const zone = { utc: options.utc ?? false, timeZone }
  const style = { ...zone, machine: !tty, width, paint, now }
  return {
    width,
    tty,
    hasColumns: columns !== undefined,
    record(row, fields) {
      const chosen = columns === undefined ? fields : selectFields(columns, [row], fields, options.known)
      return renderRecord(row, chosen, style)
    },
    table(rows, fields, known) {
      const chosen =
        columns === undefined ? (fields ?? inferFields(rows)) : selectFields(columns, rows, fields, known)
      return renderTable(rows, chosen, { ...style, keepAll: columns !== undefined })
    },
    bars: (rows) =>
      tty ? renderBars(rows, width) : renderTable(rows, [{ key: 'label' }, { key: 'value' }], style),
    line: (pieces) => pieces.map(({ text, tone }) => paint(tone, text)).join(''),
    time(iso) {
      const time = parseTime(iso)
      return time === undefined ? safeText(iso) : formatTime(time, zone)
    },
    ago(iso) {
      const time = parseTime(iso)
      return time === undefined ? safeText(iso) : formatDistance(time, now())
    },
    status: (word) => paint(statusTone(word), safeText(word)),
    text: (text) => safeText(text),
    dim: (text) => paint('dim', safeText(text)),
    bold: (text) => paint('bold', safeText(text)),
    good: (text) => paint('good', safeText(text)),
    warn: (text) => paint('warn', safeText(text)),
    bad: (text) => paint('bad', safeText(text)),
  }
}
