/** Renders one document as JSON, YAML, NDJSON or CSV, or through jq. */
import { type Field, isObject, selectFields } from './fields.ts'
import { createCsvWriter, csvColumns } from './formats/csv.ts'
import { ndjsonLines } from './formats/ndjson.ts'
import { OutputError } from './output-error.ts'
import { safeJson } from './safe-text.ts'

interface FormatDeclaration {
  /** For help and docs/json-output.md. */
  readonly prints: string
  /** A header names the columns, so they have to be known, also for an empty list. */
  readonly header: boolean
}

/** Every format of `--output`. */
export const formats = {
  json: {
    prints: "one JSON document in the API's own shape; a list is {data, next_cursor, has_more}",
    header: false,
  },
  ndjson: {
    prints: 'one JSON object per line; a list to its end, in constant memory',
    header: false,
  },
  csv: {
    prints:
      'a header and one row per line, a list to its end; cells a spreadsheet would run as a formula are made harmless',
    header: true,
  },
  yaml: { prints: 'the JSON document as YAML', header: false },
} as const satisfies Readonly<Record<string, FormatDeclaration>>

export type DocumentFormat = keyof typeof formats
export const documentFormats = Object.keys(formats) as readonly DocumentFormat[]

/** The formats whose rows can be written while they arrive (stream.ts). */
export type StreamedFormat = 'ndjson' | 'csv'

export function isStreamed(format: DocumentFormat | undefined): format is StreamedFormat {
  return format === 'ndjson' || format === 'csv'
}

export interface DocumentOptions {
  readonly format: DocumentFormat
  /** A jq program; prints its results instead of the document. Goes with `json` only. */
  readonly jq?: string | undefined
  /** Keys or dotted paths that `--columns` named; for `csv` and `ndjson`. */
  readonly columns?: readonly string[] | undefined
  /** The fields the command shows; `columns` may name them. */
  readonly fields?: readonly Field<never>[] | undefined
  /** Further columns that exist although no row here may have them. */
  readonly known?: readonly string[] | undefined
  /** Whether the text goes to a terminal: a raw string from jq is then made safe. */
  readonly terminal: boolean
}

/**
 * The document as text, every line ended by a newline: `json` and `yaml` in the API's own shape, `ndjson` and
 * `csv` one row per line (of `data` for a list). No rows: no lines, but a CSV header when columns are known.
 * @throws OutputError (exit 2) for an unknown column, a jq program with a mistake, or options that do not go together
 */
export async function renderDocument(data: unknown, options: DocumentOptions): Promise<string> {
  const { format, jq } = options
  assertCombined(options)
  if (jq !== undefined) {
    const { renderJq } = await import('./formats/jq.ts')
    return renderJq(data, jq, options.terminal)
  }
  switch (format) {
    case 'json':
      return `${safeJson(data, 2)}\n`
    case 'yaml': {
      const { renderYaml } = await import('./formats/yaml.ts')
      return renderYaml(data)
    }
    case 'ndjson': {
      const rows = rowsOf(data)
      const chosen = chosenColumns(rows, options)
      return ndjsonLines(rows, chosen)
    }
    case 'csv': {
      const rows = rowsOf(data)
      const chosen = chosenColumns(rows, options) ?? (rows.length > 0 ? csvColumns(rows) : options.known)
      const writer = await createCsvWriter(chosen ?? [])
      return writer.header() + writer.lines(rows)
    }
  }
}

/** @throws OutputError (exit 2) when format, jq and columns do not go together */
export function assertCombined({
  format,
  jq,
  columns,
}: Pick<DocumentOptions, 'format' | 'jq' | 'columns'>): void {
  if (jq !== undefined && format !== 'json')
    throw new OutputError(`--jq prints JSON and does not go with --output ${format}`)
  if (columns === undefined || isStreamed(format)) return
  throw new OutputError(
    '--columns goes with a table, csv and ndjson: JSON and YAML keep the shape of the API',
    "To choose fields in JSON: --jq '.data[] | {id, status}'",
  )
}

/** The rows of a document: `data` of a list envelope, the items of an array, or the document itself. */
function rowsOf(document: unknown): readonly unknown[] {
  if (Array.isArray(document)) return document
  if (isObject(document) && Array.isArray(document['data'])) return document['data']
  return [document]
}

/** The keys that `--columns` chose, checked; undefined when it chose none. */
export function chosenColumns(
  rows: readonly unknown[],
  { columns, fields = [], known }: Pick<DocumentOptions, 'columns' | 'fields' | 'known'>,
): string[] | undefined {
  if (columns === undefined) return undefined
  const declared = fields.map(({ key }) => ({ key }))
  return selectFields(columns, rows, declared, known).map(({ key }) => key)
}
