/** Renders rows as a table: aligned and cut to the terminal's width, or tab-separated for a pipe. */
import { type Cell, type CellStyle, formatCell } from './cell.ts'
import { type ColumnNeed, fitColumns } from './columns.ts'
import { type Field, headerOf, readField } from './fields.ts'
import type { Paint } from './palette.ts'
import { safeText } from './safe-text.ts'
import { displayWidth, pad, truncate, truncateMiddle } from './width.ts'

export interface TableStyle extends CellStyle {
  /** Columns of the terminal; no line is longer. */
  readonly width: number
  readonly paint: Paint
  /** Never leave a column out: for columns the user asked for by name. */
  readonly keepAll?: boolean
}

const gap = 2
/** Of a text, of one that tells rows apart, and of an id cut in the middle: with less room their column is left out. */
const MIN_TEXT = 20
const MIN_TELLING_TEXT = 28
const MIN_ID = 16
/** Of any of them where few columns fit, and of those that the user asked for by name. */
const MIN_FEW = 12
const MIN_CHOSEN = 8

/** One column of a table for people: its heading, and its cells in the forms they can have, the shortest first. */
interface Column {
  readonly header: string
  readonly forms: readonly (readonly Cell[])[]
  readonly align: 'left' | 'right'
  readonly need: ColumnNeed
  /** Ids are cut in the middle: they share their beginning and differ at their end. */
  readonly isId: boolean
}

/**
 * A table of `rows`, every line ended by a newline; empty for no rows. On a terminal: headings in capitals, amounts with
 * separators and their currency in the heading where it is the same for all, times with their age, no line wider than
 * `width`, and one block of lines per row when not even two columns fit. For a pipe (`machine`): values separated by tabs,
 * whole, without headings.
 */
export function renderTable<Row>(
  rows: readonly Row[],
  fields: readonly Field<Row>[],
  style: TableStyle,
): string {
  if (rows.length === 0 || fields.length === 0) return ''
  const cells = rows.map((row) => fields.map((field) => formatCell(readField(row, field), field, row, style)))
  if (style.machine) {
    // Coloured only when FORCE_COLOR asks for it.
    const { paint } = style
    return cells.map((row) => `${row.map(({ text, tone }) => paint(tone, text)).join('\t')}\n`).join('')
  }
  const columns = fields.map((field, at) =>
    columnOf(
      field,
      cells.map((row) => row[at] ?? nothing),
      style.keepAll ?? false,
    ),
  )
  const needs = columns.map(({ need }) => need)
  const fit = fitColumns(needs, style.width, gap, style.keepAll ?? false)
  if (fit === undefined) return stacked(fields, cells, style)
  const shown = fit.map(({ index, width }) => linesOf(columns[index] as Column, width, style))
  const lines = ['', ...rows].map((_, line) => shown.map((column) => column[line]).join(' '.repeat(gap)))
  return lines.map((line) => `${line.trimEnd()}\n`).join('')
}

const nothing: Cell = { text: '', tone: 'plain' }

function columnOf<Row>(field: Field<Row>, cells: readonly Cell[], chosen: boolean): Column {
  const name = safeText(headerOf(field)).toUpperCase()
  const { header, forms } = formsOf(field, name, cells)
  const own = field.priority ?? (field.key === 'id' ? 10 : 0)
  // What has no value in any row is left out first.
  const priority = cells.every(({ text }) => text === '-') ? Number.NEGATIVE_INFINITY : own
  const widths = forms.map((form) => widestOf(header, form))
  const natural = widths.at(-1) ?? 0
  const align = field.align ?? (field.kind === 'money' || field.kind === 'number' ? 'right' : 'left')
  const isText = field.kind === undefined || field.kind === 'text'
  // The id of the row itself is for people to copy, unless its table says that other things matter more.
  const isId = field.kind === 'id'
  if (!isText && !(isId && own < 10)) {
    return { header, forms, align, isId, need: { widths, shrinks: false, priority, grows: 3 } }
  }
  const shortest = isId ? MIN_ID : field.tells ? MIN_TELLING_TEXT : MIN_TEXT
  return {
    header,
    forms,
    align,
    isId,
    need: {
      widths: [Math.min(natural, shortest), natural],
      shrinks: true,
      least: Math.min(natural, chosen ? MIN_CHOSEN : MIN_FEW),
      yields: field.tells ?? false,
      priority,
      grows: field.tells ? 0 : isText ? 1 : 2,
    },
  }
}

/** The heading, and the cells in the forms that they can have: amounts in one currency, times with and without their age. */
function formsOf<Row>(
  field: Field<Row>,
  header: string,
  cells: readonly Cell[],
): { header: string; forms: readonly (readonly Cell[])[] } {
  if (field.kind === 'money') {
    const currencies = new Set(cells.flatMap(({ money }) => (money === undefined ? [] : [money.currency])))
    const [currency] = currencies
    if (currencies.size !== 1 || currency === undefined) return { header, forms: [cells] }
    const amounts = cells.map((cell) => ({ ...cell, text: cell.money?.amount ?? cell.text }))
    return { header: `${header} ${currency}`, forms: [amounts] }
  }
  if (field.kind === 'time' && cells.some(({ age }) => age !== undefined)) {
    const ages = cells.map(({ text, tone, age }): Cell => ({ text: age ?? text, tone }))
    return { header, forms: [ages, cells] }
  }
  return { header, forms: [cells] }
}

function widestOf(header: string, cells: readonly Cell[]): number {
  return cells.reduce((widest, cell) => Math.max(widest, widthOf(cell)), displayWidth(header))
}

/** With its age, where it has one. */
function widthOf({ text, age }: Cell): number {
  return displayWidth(text) + (age === undefined ? 0 : gap + age.length)
}

/** The lines of one column in `width` columns: its heading, then its cells. */
function linesOf({ header, forms, align, isId }: Column, width: number, { paint }: TableStyle): string[] {
  const cells = forms.findLast((form) => widestOf(header, form) <= width) ?? forms[0] ?? []
  const cut = isId || !tellsApart(cells, width) ? truncateMiddle : truncate
  // An age stands below the other ages.
  const beside = Math.max(0, ...cells.map(({ text, age }) => (age === undefined ? 0 : displayWidth(text))))
  const padded = (text: string, painted: string) => {
    const blank = ' '.repeat(Math.max(0, width - displayWidth(text)))
    return align === 'right' ? blank + painted : painted + blank
  }
  const lines = cells.map(({ text, tone, age }) => {
    if (age !== undefined) {
      const time = pad(text, beside + gap)
      return padded(time + age, paint(tone, time) + paint('dim', age))
    }
    const shown = cut(text, width)
    return padded(shown, paint(tone, shown))
  })
  const heading = truncate(header, width)
  return [padded(heading, paint('dim', heading)), ...lines]
}

/** Whether texts that differ still do when they are cut at their end. */
function tellsApart(cells: readonly Cell[], width: number): boolean {
  const texts = new Set(cells.map(({ text }) => text))
  return new Set([...texts].map((text) => truncate(text, width))).size === texts.size
}

/** One `HEADING  value` line per column and a blank line between rows. */
function stacked<Row>(
  fields: readonly Field<Row>[],
  cells: readonly (readonly Cell[])[],
  { paint, width }: TableStyle,
): string {
  const headers = fields.map((field) => safeText(headerOf(field)).toUpperCase())
  const widest = Math.max(...headers.map((header) => displayWidth(header)))
  const labelWidth = Math.min(widest, Math.max(1, Math.floor(width / 3)))
  const lineOf = (cell: Cell, column: number) => {
    const isId = fields[column]?.kind === 'id'
    const cut = isId ? truncateMiddle : truncate
    const label = pad(truncate(headers[column] ?? '', labelWidth), labelWidth)
    const room = width - labelWidth - gap
    // An id too long for the rest of the line gets one of its own: people copy ids.
    if (room < 1 || (isId && displayWidth(cell.text) > room)) {
      return `${paint('dim', truncate(label.trimEnd(), width))}\n${paint(cell.tone, cut(cell.text, width))}\n`
    }
    return `${paint('dim', label)}${' '.repeat(gap)}${paint(cell.tone, cut(cell.text, room))}\n`
  }
  return cells.map((row) => row.map(lineOf).join('')).join('\n')
}
