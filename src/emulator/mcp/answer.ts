/** The results of tools, kept small: chosen fields, short texts, pages that shrink until they fit. */
import * as z from 'zod'
import type { Page } from '../../contract/values.ts'

/** Bytes of a result: an assistant reads all of it. */
const MAX_RESULT = 19_000
/** Characters of one text in it, such as a name or a description. */
const MAX_TEXT = 200
const PAGE_SIZE = 25

export interface ToolResult {
  readonly content: { readonly type: 'text'; readonly text: string }[]
  readonly structuredContent?: Record<string, unknown>
  readonly isError?: true
  readonly [more: string]: unknown
}

/** The content as text, too: clients of older revisions show only that. */
export function resultOf(content: object): ToolResult {
  const text = JSON.stringify(content)
  return { content: [{ type: 'text', text }], structuredContent: content as Record<string, unknown> }
}

/** Without structured content, which the tool's output schema would describe. */
export function errorResult(error: object): ToolResult {
  return { content: [{ type: 'text', text: JSON.stringify({ error: shortened(error) }) }], isError: true }
}

/** The schema of one page of rows. */
export function pageOf<Row extends z.ZodType>(row: Row) {
  return z.object({ data: z.array(row), has_more: z.boolean(), next_cursor: z.string().optional() })
}

/** Reads a page of rows, and of fewer rows while they are too long. */
export async function readPage<Row>(
  schema: z.ZodType<Row>,
  read: (limit: number) => Promise<Page<unknown>>,
): Promise<{ data: Row[]; has_more: boolean; next_cursor?: string }> {
  for (let limit = PAGE_SIZE; ; limit = Math.ceil(limit / 2)) {
    const { data, has_more, next_cursor } = await read(limit)
    const rows = data.map((row) => schema.parse(shortened(row)))
    const answer = { data: rows, has_more, ...(next_cursor ? { next_cursor } : {}) }
    if (limit === 1 || Buffer.byteLength(JSON.stringify(resultOf(answer))) <= MAX_RESULT) return answer
  }
}

/** The value with its texts and lists cut where they are longer than a reader needs. */
function shortened(value: unknown): unknown {
  if (typeof value === 'string') return value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}…` : value
  if (Array.isArray(value)) return value.slice(0, PAGE_SIZE).map(shortened)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, shortened(field)]))
}
