/** Makes the result of a call: structured content with the environment, the same as text, within 20 kB. */
import { BankapiError } from '../errors.ts'
import type { CallToolResult } from '../mcp-sdk.ts'
import { LONGEST_SECRET, withoutSecrets } from '../without-secrets.ts'
import type { Assistant, Failure } from './assistant.ts'
import { visibleText } from './bank-text.ts'
import type { Answer } from './tool.ts'

/** Bytes of a result: its structured content and the same as text. */
export const MAX_ANSWER_BYTES = 20_000

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

/** What an answer is written for. */
export interface AnswerOptions {
  /** As every answer names it. */
  readonly environment: string
  /** Whether e-mail addresses may be shown. */
  readonly pii: boolean
  /** Masks the key in use. */
  readonly redacted: (text: string) => string
}

export function answerOptions({ environment, pii, redacted }: Assistant): AnswerOptions {
  return { environment: environment.shown, pii, redacted }
}

/** A result within the limit: rows that do not fit are left for the cursor. @throws AnswerTooLargeError */
export function resultOf(options: AnswerOptions, { data, cut }: Answer<object>): CallToolResult {
  const { environment } = options
  const clean = cleaned({ environment, ...data }, options)
  const whole = resultWith(clean)
  if (fits(whole)) return whole
  if (cut === undefined) throw new AnswerTooLargeError()
  const rows = clean[cut.key] as readonly unknown[]
  for (let count = rows.length - 1; count > 0; count--) {
    const shorter = resultWith({
      ...clean,
      [cut.key]: rows.slice(0, count),
      next_cursor: cut.cursorAfter(count),
    })
    if (fits(shorter)) return shorter
  }
  throw new AnswerTooLargeError()
}

function resultWith(structuredContent: Record<string, unknown>): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
}

function fits(result: CallToolResult): boolean {
  return Buffer.byteLength(JSON.stringify(result)) <= MAX_ANSWER_BYTES
}

/** Of a text; one of a bank is shorter already. */
const MAX_CHARACTERS = 1000
/**
 * Only the beginning of a longer text is masked, which takes time with the square of its length; more of it than is shown, because
 * what is invisible takes no room.
 */
const MAX_MASKED_CHARACTERS = 4 * MAX_CHARACTERS
const email = /[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/gu

/** Every text and every name of a field without secrets and without what is invisible; null is left out of objects. */
function cleaned(content: object, { pii, redacted }: AnswerOptions): Record<string, unknown> {
  const text = (value: string) => {
    const known = redacted(value)
    const safe = withoutSecrets(known.slice(0, MAX_MASKED_CHARACTERS))
    const shown = pii ? safe : safe.replace(email, '[left out]')
    const isWhole = known.length <= MAX_MASKED_CHARACTERS
    // A secret that was cut may not be known as one.
    return visibleText(isWhole ? shown : `${shown.slice(0, -LONGEST_SECRET)}…`, MAX_CHARACTERS)
  }
  const clean = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value)
    if (Array.isArray(value)) return value.map(clean)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, field]) =>
        field === null || field === undefined
          ? []
          : [[text(name), name === 'next_cursor' ? field : clean(field)]],
      ),
    )
  }
  return clean(content) as Record<string, unknown>
}

/** A failure that the assistant can act on: what happened, its code, and what to do. */
export function failureResult(
  options: AnswerOptions,
  { code, message, hint, trace_id }: Failure,
): CallToolResult {
  const { environment } = options
  const content = cleaned({ environment, error: { code, message, hint, trace_id } }, options)
  // Structured content would have to be what the tool answers with.
  return { content: [{ type: 'text', text: JSON.stringify(content) }], isError: true }
}
