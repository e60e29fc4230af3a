/** Reads the screen of a terminal as lines of runs: neighbouring cells that look the same. */
import type { IBufferCell, Terminal } from '@xterm/headless'

export interface Look {
  /** A colour of the palette (0 to 255), `#rrggbb`, or undefined for that of the terminal. */
  readonly ink?: number | string
  readonly ground?: number | string
  readonly bold?: true
  readonly dim?: true
  readonly italic?: true
  readonly underline?: true
  readonly inverse?: true
}

export interface Run {
  /** Column of the first cell. */
  readonly column: number
  /** Width in cells. */
  readonly width: number
  readonly text: string
  readonly look: Look
}

export type Line = readonly Run[]

/** The visible lines. With `cursor`, its cell is shown inverse. Blank cells without a ground are left out. */
export function readLines(terminal: Terminal, cursor = false): Line[] {
  const { active } = terminal.buffer
  const cell = active.getNullCell()
  return Array.from({ length: terminal.rows }, (_, row) => {
    const line = active.getLine(active.viewportY + row)
    const runs: { column: number; width: number; text: string; look: Look; key: string }[] = []
    for (let column = 0; line !== undefined && column < terminal.cols; column++) {
      if (line.getCell(column, cell) === undefined || cell.getWidth() === 0) continue
      const isCursor = cursor && row === active.cursorY && column === active.cursorX
      const look = isCursor ? { inverse: true as const } : lookOf(cell)
      const text = cell.getChars() || ' '
      const key = JSON.stringify(look)
      const last = runs.at(-1)
      if (last?.key === key && last.column + last.width === column) {
        last.text += text
        last.width += cell.getWidth()
      } else runs.push({ column, width: cell.getWidth(), text, look, key })
    }
    return runs.flatMap(({ key: _key, ...run }) => visiblePart(run))
  })
}

/** Without blanks at its ends, which show nothing unless they have a ground or a line. */
function visiblePart(run: Run): Run[] {
  const { ground, inverse, underline } = run.look
  if (ground !== undefined || inverse || underline) return [run]
  const text = run.text.trimEnd()
  const start = text.length - text.trimStart().length
  if (text === '') return []
  const cut = run.text.length - text.length + start
  return [{ ...run, column: run.column + start, width: run.width - cut, text: text.slice(start) }]
}

function lookOf(cell: IBufferCell): Look {
  const ink = colour(cell.isFgDefault(), cell.isFgRGB(), cell.getFgColor())
  const ground = colour(cell.isBgDefault(), cell.isBgRGB(), cell.getBgColor())
  return {
    ...(ink === undefined ? {} : { ink }),
    ...(ground === undefined ? {} : { ground }),
    ...(cell.isBold() ? { bold: true } : {}),
    ...(cell.isDim() ? { dim: true } : {}),
    ...(cell.isItalic() ? { italic: true } : {}),
    ...(cell.isUnderline() ? { underline: true } : {}),
    ...(cell.isInverse() ? { inverse: true } : {}),
  }
}

function colour(isDefault: boolean, isRgb: boolean, value: number): number | string | undefined {
  if (isDefault) return undefined
  return isRgb ? `#${value.toString(16).padStart(6, '0')}` : value
}
