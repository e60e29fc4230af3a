/** Renders rows as a table: aligned and cut to the terminal's width, or tab-separated for a pipe. */
import { type Cell, type CellStyle, formatCell } from './cell.ts'
import { type ColumnFit, fitColumns } from './columns.ts'
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

/**
 * A table of `rows`, every line ended by a newline; empty for no rows. On a terminal: headings in capitals, no
 * line wider than `width`, and one block of lines per row when not even two columns fit. For a pipe
 * (`machine`): values separated by tabs, whole, without headings.
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
  const headers = fields.map((field) => safeText(headerOf(field)).toUpperCase())
  const fit = fitColumns(
    fields.map((field, column) => ({
      natural: cells.reduce(
        (widest, row) => Math.max(widest, displayWidth(row[column]?.text ?? '')),
        displayWidth(headers[column] ?? ''),
      ),
      shrinks: field.kind === undefined || field.kind === 'text',
      priority: field.priority ?? (field.key === 'id' ? 10 : 0),
    })),
    style.width,
    gap,
    style.keepAll ?? false,
  )
  return fit === undefined
    ? stacked(headers, fields, cells, style)
    : aligned(headers, fields, cells, fit, style)
}

function aligned<Row>(
  headers: readonly string[],
  fields: readonly Field<Row>[],
  cells: readonly (readonly Cell[])[],
  fit: readonly ColumnFit[],
  { paint }: TableStyle,
): string {
  const lineOf = (row: readonly Cell[]) => {
    const parts = fit.map(({ index, width }, at) => {
      const cell = row[index] ?? { text: '', tone: 'plain' as const }
      const text = truncate(cell.text, width)
      const align = alignOf(fields[index])
      const blank = ' '.repeat(Math.max(0, width - displayWidth(text)))
      const painted = paint(cell.tone, text)
      if (align === 'right') return blank + painted
      return at === fit.length - 1 ? painted : painted + blank
    })
    return `${parts.join(' '.repeat(gap)).trimEnd()}\n`
  }
  const head = headers.map((text): Cell => ({ text, tone: 'bold' }))
  return [head, ...cells].map(lineOf).join('')
}

function alignOf(field: Pick<Field, 'align' | 'kind'> | undefined): 'left' | 'right' {
  return field?.align ?? (field?.kind === 'money' || field?.kind === 'number' ? 'right' : 'left')
}

/** One `HEADING  value` line per column and a blank line between rows. */
function stacked<Row>(
  headers: readonly string[],
  fields: readonly Field<Row>[],
  cells: readonly (readonly Cell[])[],
  { paint, width }: TableStyle,
): string {
  const widest = Math.max(...headers.map((header) => displayWidth(header)))
  const labelWidth = Math.min(widest, Math.max(1, Math.floor(width / 3)))
  const lineOf = (cell: Cell, column: number) => {
    const isId = fields[column]?.kind === 'id'
    const cut = isId ? truncateMiddle : truncate
    const label = pad(truncate(headers[column] ?? '', labelWidth), labelWidth)
    const room = width - labelWidth - gap
    // An id too long for the rest of the line gets one of its own: people copy ids.
    if (room < 1 || (isId && displayWidth(cell.text) > room)) {
      return `${paint('bold', truncate(label.trimEnd(), width))}\n${paint(cell.tone, cut(cell.text, width))}\n`
    }
    return `${paint('bold', label)}${' '.repeat(gap)}${paint(cell.tone, cut(cell.text, room))}\n`
  }
  return cells.map((row) => row.map(lineOf).join('')).join('\n')
}
