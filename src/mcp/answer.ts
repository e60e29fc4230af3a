/** Makes the result of a call: structured content with the environment, the same as text, within 20 kB. */

import { BankapiError } from '../errors.ts'
import type { CallToolResult } from '../mcp-sdk.ts'
import type { Failure } from './assistant.ts'
import { visibleText } from './bank-text.ts'
import type { Answer } from './tool.ts'

/** Bytes of a result: its structured content and the same as text. */
const MAX_ANSWER_BYTES = 20_000

class AnswerTooLargeError extends BankapiError {
  override readonly name = 'AnswerTooLargeError'

  constructor() {
    super(`The answer would be longer than ${MAX_ANSWER_BYTES / 1000} kB`, {
      code: 'answer_too_large',
      exit: 'usage',
      hint: 'Ask for less: a shorter period, a narrower filter, fewer columns',
    })
  }
}

/** A result within the limit: rows that do not fit are left for the cursor. @throws AnswerTooLargeError */
export function resultOf(environment: string, { data, cut }: Answer<object>): CallToolResult {
  const whole = resultWith({ environment, ...data })
  if (fits(whole)) return whole
  if (cut === undefined) throw new AnswerTooLargeError()
  const rows = (data as Readonly<Record<string, readonly unknown[]>>)[cut.key] ?? []
  for (let count = rows.length - 1; count > 0; count--) {
    const shorter = resultWith({
      environment,
      ...data,
      [cut.key]: rows.slice(0, count),
      next_cursor: cut.cursorAfter(count),
    })
    if (fits(shorter)) return shorter
  }
  throw new AnswerTooLargeError()
}

function resultWith(content: Record<string, unknown>): CallToolResult {
  const text = JSON.stringify(content, (_, value) => value ?? undefined)
  return { content: [{ type: 'text', text }], structuredContent: JSON.parse(text) }
}

function fits(result: CallToolResult): boolean {
  return Buffer.byteLength(JSON.stringify(result)) <= MAX_ANSWER_BYTES
}

/** A failure that the assistant can act on: what happened, its code, and what to do. */
export function failureResult(
  environment: string,
  { code, message, hint, trace_id }: Failure,
): CallToolResult {
  const error = Object.fromEntries(
    Object.entries({ code, message, hint, trace_id }).flatMap(([name, text]) =>
      text === undefined ? [] : [[name, visibleText(text)]],
    ),
  )
  // Structured content would have to be what the tool answers with.
  return { content: [{ type: 'text', text: JSON.stringify({ environment, error }) }], isError: true }
}
