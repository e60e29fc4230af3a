/** Renders an error for stderr: as lines for people, or as the JSON document of `--json`. */
import type { Field } from './fields.ts'
import type { Paint } from './palette.ts'
import { safeBlock, safeJson, safeText } from './safe-text.ts'
import { renderTable } from './table.ts'
import { wrap } from './width.ts'

/** An error's details; the keys are those of `{"error":{...}}`. */
export interface ErrorReport {
  readonly code: string
  readonly message: string
  /** The service's own message, when `message` is another. */
  readonly service_message?: string | undefined
  readonly type?: string | undefined
  readonly category?: string | undefined
  readonly http_status?: number | null | undefined
  readonly trace_id?: string | undefined
  readonly doc_url?: string | undefined
  /** The offending field, a path. */
  readonly param?: string | undefined
  readonly errors?: readonly FieldProblem[] | undefined
  /** Accounts that did not report in a refresh. */
  readonly accounts?: readonly unknown[] | undefined
  /** What to run or do next; a newline separates alternatives. */
  readonly hint?: string | undefined
  readonly exit_code: number
}

export interface FieldProblem {
  readonly param?: string | undefined
  readonly message: string
  readonly code?: string | undefined
}

export interface ErrorStyle {
  /** Columns of the terminal; below 1 means unknown and counts as 80. */
  readonly width: number
  readonly paint: Paint
  /** Whether stderr is a terminal: in a log nothing is wrapped. */
  readonly tty: boolean
  /** Which fields a failed account is shown with; `id`, `code` and `message` when absent. */
  readonly accountFields?: readonly Field<unknown>[]
}

const usualAccountFields: readonly Field<unknown>[] = [
  { key: 'id', header: 'account', kind: 'id', get: (row) => idOf(row) },
  { key: 'code', kind: 'status' },
  { key: 'message' },
]

function idOf(row: unknown): unknown {
  const account = row as { readonly id?: unknown; readonly account_id?: unknown } | null
  return account?.id ?? account?.account_id ?? (typeof row === 'string' ? row : undefined)
}

/**
 * The error as lines for people, the last one ended by a newline: what happened, field by field and account by
 * account, what to do next, and the trace id for support. Safe, whatever the service sent.
 */
export function renderError(report: ErrorReport, style: ErrorStyle): string {
  const { paint } = style
  const width = style.tty ? (style.width >= 1 ? Math.floor(style.width) : 80) : Number.POSITIVE_INFINITY
  return [
    headline(report, width, paint),
    ...(report.errors ?? []).map((problem) => wrap(`  ${problemText(problem)}`, width, '    ')),
    accountTable(report, style, paint),
    hintText(report, width, paint),
    labelled('The service says', report.service_message, paint),
    labelled('Docs', report.doc_url, paint),
    labelled('Trace id', report.trace_id, paint),
  ]
    .filter((part) => part !== '')
    .map((part) => (part.endsWith('\n') ? part : `${part}\n`))
    .join('')
}

function headline({ code, message, param, errors }: ErrorReport, width: number, paint: Paint): string {
  const named = errors?.some((problem) => problem.param === param) === true
  const field = param === undefined || named || message.includes(param) ? '' : ` [${safeText(param)}]`
  const said = safeBlock(message).trim() || 'no reason was given'
  const kind = code === '' || said.includes(code) ? '' : ` (${safeText(code)})`
  const text = wrap(`Error: ${said}${field}${kind}`, width)
  return paint('bad', text.slice(0, 'Error:'.length)) + text.slice('Error:'.length)
}

function problemText({ param, message, code }: FieldProblem): string {
  const where = param === undefined || param === '' ? '' : `${safeText(param)}: `
  return `${where}${safeText(message)}${code === undefined || code === '' ? '' : ` (${safeText(code)})`}`
}

function accountTable(report: ErrorReport, { tty, width, accountFields }: ErrorStyle, paint: Paint): string {
  const accounts = report.accounts ?? []
  if (accounts.length === 0) return ''
  const columns = tty && width >= 1 ? Math.floor(width) : 1000
  const fields = accountFields ?? usualAccountFields
  return renderTable(accounts, fields, { width: columns, paint, machine: false, utc: true })
}

function hintText({ hint }: ErrorReport, width: number, paint: Paint): string {
  if (hint === undefined || hint.trim() === '') return ''
  return safeBlock(hint.trim())
    .split('\n')
    .map((line, at) => wrap(`${at === 0 ? 'Try:' : '    '} ${line}`, width, '     '))
    .map((line) => (line.startsWith('Try:') ? `${paint('bold', 'Try:')}${line.slice(4)}` : line))
    .join('\n')
}

function labelled(label: string, value: string | undefined, paint: Paint): string {
  return value === undefined || value === '' ? '' : paint('dim', `${label}: ${safeText(value)}`)
}

/** `{"error":{...}}` on one line, ended by a newline; keys without a value are left out. */
export function errorDocument(report: ErrorReport): string {
  return `${safeJson({ error: report })}\n`
}
