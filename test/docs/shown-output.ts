/** Reads the ```console blocks of a page, and compares the shape of their output with what a command prints. */

export interface ShownCommand {
  /** The command line, without the prompt. */
  readonly line: string
  /** The lines shown below it. */
  readonly output: readonly string[]
}

/** Every command of a page's console blocks, in order. */
export function consoleCommands(page: string): ShownCommand[] {
  return [...page.matchAll(/^```console\n([\s\S]*?)^```/gm)].flatMap(([, block = '']) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((text) => {
        const [line = '', ...output] = text.trimEnd().split('\n')
        return { line, output }
      }),
  )
}

/**
 * True when the printed lines have the shape of those shown, in order: the same words, headings, keys and statuses, and values
 * of the same kind. A line `…` stands for any lines, `…` within a line for any text. Without lines shown, any output will do.
 * Lines with `-->` and `<--` may repeat.
 */
export function sameShape(shown: readonly string[], printed: string): boolean {
  if (shown.length === 0) return true
  const lines = printed.trimEnd().split('\n').map(shapeOf)
  let at = 0
  for (const [number, line] of shown.entries()) {
    if (line === '…') {
      if (number === shown.length - 1) return true
      continue
    }
    const skips = shown[number - 1] === '…' || isDelivery(line)
    const found = lines.findIndex((text, index) => index >= at && isLike(line, text))
    if (found === -1 || (!skips && found !== at)) return false
    at = found + 1
  }
  return at === lines.length || shown.some(isDelivery)
}

function isDelivery(line: string): boolean {
  return /-->|<--/.test(line)
}

function isLike(shown: string, printed: string): boolean {
  const shape = shapeOf(shown)
  if (shape === printed) return true
  // Not in a table, where … ends a cell that was cut.
  if (shape.includes(' | ')) return false
  const parts = shape.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return parts.length > 1 && new RegExp(`^${parts.join('.*')}$`).test(printed)
}

const kinds: readonly (readonly [RegExp, string])[] = [
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?( UTC|Z)?/g, 'TIME'],
  [/\b\d{4}-\d\d-\d\d\b/g, 'DATE'],
  [/\b\d\d:\d\d:\d\d\b/g, 'HH:MM:SS'],
  [/-?[\d,]+\.\d\d [A-Z]{3}\b/g, 'MONEY'],
  [/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, 'UUID'],
  [/\b(sk_test|sk_live|whsec|whk|evt|cli|op)_[0-9a-f]{4,}\b/g, '$1_ID'],
  [/\b(con|acc|txn|chk|stmt)_([A-Z]+(?:_[A-Z])?)_\w+/g, '$1_$2_ID'],
  [/\b(127\.0\.0\.1):\d+/g, '$1:PORT'],
  [/\b\d+ms\b/g, 'Nms'],
  [/\b\d+\b/g, 'N'],
]

/** Cells that are compared as they are; other cells of a table are data. */
const statuses =
  /^(active|failed|disconnected|requires_action|queued|succeeded|verified|TIME|DATE|MONEY|.*_ID)$/

/** The line with each value replaced by its kind, and cells separated by ` | `. */
function shapeOf(line: string): string {
  const named = kinds.reduce((text, [pattern, kind]) => text.replaceAll(pattern, kind), line.trim())
  const cells = named.split(/ {2,}|\t/)
  if (cells.length < 3) return cells.join(' ')
  const isHeading = cells.every((cell) => /^[A-Z][A-Z ]*$/.test(cell))
  return cells.map((cell) => (isHeading || statuses.test(cell) ? cell : kindOf(cell))).join(' | ')
}

/** The kind of a cell that is neither a status nor a value of a known kind. */
function kindOf(cell: string): string {
  return /-->|<--/.test(cell) ? cell : 'TEXT'
}
