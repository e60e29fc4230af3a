/** Renders one resource as lines of `key: value`: quiet labels, strong values. */
import { type Cell, type CellStyle, formatCell } from './cell.ts'
import { type Field, headerOf, inferKind, isObject, readField } from './fields.ts'
import type { Paint } from './palette.ts'
import { safeText } from './safe-text.ts'
import { displayWidth, wrap } from './width.ts'

export interface RecordStyle extends CellStyle {
  /** Columns of the terminal, for which text is wrapped. */
  readonly width: number
  readonly paint: Paint
}

/** Objects nested deeper are shown as JSON; no resource of the API is. */
const maxDepth = 6
/** What a resource is called. */
const strong: ReadonlySet<string> = new Set(['id', 'name'])
/** Text is wrapped to no less. */
const minWidth = 20

/**
 * One resource, every line ended by a newline. On a terminal: `key:  value` with values aligned, nested objects
 * indented below their key, `-` for null, times with their age, long text wrapped beside its key; a word is never broken, as
 * people copy ids and URLs. For a pipe (`machine`): `key:<tab>value`, nested keys dotted, nothing wrapped. A key the
 * resource does not have is left out.
 */
export function renderRecord<Row>(
  row: Row,
  fields: readonly Field<Row>[] | undefined,
  style: RecordStyle,
): string {
  const entries: Entry[] =
    fields === undefined
      ? entriesOf(row, row, style)
      : fields.map((field) => ({
          label: safeText(style.machine ? field.key : headerOf(field)),
          value: readField(row, field),
          cell: (value) =>
            formatCell(value, { ...field, kind: field.kind ?? inferKind(field.key, value, row) }, row, style),
        }))
  return (style.machine ? flat(entries, '', row, style) : indented(entries, '', row, style)).join('')
}

interface Entry {
  readonly label: string
  readonly value: unknown
  readonly cell: (value: unknown) => Cell
}

/** The entries of a value without declared fields. Amounts in it are of `owner`'s currency unless it names its own. */
function entriesOf(value: unknown, owner: unknown, style: RecordStyle): Entry[] {
  if (!isObject(value))
    return [{ label: 'value', value, cell: (inner) => formatCell(inner, {}, owner, style) }]
  const holder = 'iso_currency_code' in value ? value : owner
  return Object.entries(value).map(([key, inner]) => ({
    label: safeText(key),
    value: inner,
    cell: (shown) => formatCell(shown, { kind: inferKind(key, shown, holder) }, holder, style),
  }))
}

/** The block below an entry: an object's entries, or a list's items when they are objects. */
function blockOf(value: unknown, owner: unknown, style: RecordStyle): Entry[][] | undefined {
  if (isObject(value)) return Object.keys(value).length > 0 ? [entriesOf(value, owner, style)] : undefined
  if (Array.isArray(value) && value.some(isObject)) return value.map((item) => entriesOf(item, owner, style))
  return undefined
}

function indented(entries: readonly Entry[], indent: string, owner: unknown, style: RecordStyle): string[] {
  const present = entries.filter(({ value }) => value !== undefined)
  const blocks = present.map(({ value }) =>
    indent.length < maxDepth * 2 ? blockOf(value, owner, style) : undefined,
  )
  const inline = present.filter((_, at) => blocks[at] === undefined)
  const labelWidth = Math.max(0, ...inline.map(({ label }) => displayWidth(label)))
  return present.map(({ label, value, cell }, at) => {
    const name = indent + style.paint('dim', `${label}:`)
    const block = blocks[at]
    if (block === undefined) {
      const { text, tone: own, age } = cell(value)
      const tone = own === 'plain' && indent === '' && strong.has(label) ? 'bold' : own
      const start = indent.length + labelWidth + 3
      const lines = wrap(text, Math.max(minWidth, style.width - start)).split('\n')
      const painted = lines.map((line) => style.paint(tone, line)).join(`\n${' '.repeat(start)}`)
      const beside = age === undefined ? '' : `  ${style.paint('dim', age)}`
      return `${name}${' '.repeat(labelWidth - displayWidth(label) + 2)}${painted}${beside}\n`
    }
    if (isObject(value)) return `${name}\n${indented(block[0] ?? [], `${indent}  `, value, style).join('')}`
    const items = block.map((item) => {
      const text = indented(item, `${indent}    `, owner, style).join('')
      return `${indent}  - ${text.slice(indent.length + 4)}`
    })
    return `${name}\n${items.join('')}`
  })
}

function flat(entries: readonly Entry[], prefix: string, owner: unknown, style: RecordStyle): string[] {
  return entries.flatMap(({ label, value, cell }) => {
    if (value === undefined) return []
    const path = `${prefix}${label}`
    const opens = isObject(value) && Object.keys(value).length > 0 && path.split('.').length <= maxDepth
    if (opens) {
      return flat(entriesOf(value, owner, style), `${path}.`, owner, style)
    }
    const { text, tone } = cell(value)
    return [`${style.paint('bold', `${path}:`)}\t${style.paint(tone, text)}\n`]
  })
}
