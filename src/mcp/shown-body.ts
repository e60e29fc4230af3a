/** A body of a webhook or of a target's answer as an assistant may see it. */
import { visibleText } from './bank-text.ts'

/** Names of fields, however they are spelled: rather too many are left out. */
const personal = /name|mail|mask|phone|address|holder|owner|payee|pay_to|number/i
/** Deeper ones are left out. */
const MAX_DEPTH = 20

export interface BodyOptions {
  /** Whether names, masks and e-mail addresses may be shown. */
  readonly pii: boolean
  readonly maxCharacters: number
}

/** JSON, without personal fields unless they may be shown; other text only where they may. */
export function shownBody(body: Uint8Array, { pii, maxCharacters }: BodyOptions): string {
  const text = Buffer.from(body).toString()
  if (pii) return visibleText(text, maxCharacters)
  try {
    return visibleText(JSON.stringify(withoutPersonal(JSON.parse(text), 0)), maxCharacters)
  } catch {
    return `(${body.byteLength} bytes that are no JSON: shown with --pii)`
  }
}

function withoutPersonal(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth > MAX_DEPTH) return '[left out]'
  if (Array.isArray(value)) return value.map((item) => withoutPersonal(item, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [
      key,
      personal.test(key) ? '[left out]' : withoutPersonal(field, depth + 1),
    ]),
  )
}
