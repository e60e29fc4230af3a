/** Renders a document as YAML 1.2. */
import type { Document, Scalar } from 'yaml'
import * as yaml from 'yaml'
import { escapeInJson, isUnsafe } from '../safe-text.ts'

/**
 * A document as YAML, block style, 2 spaces. Text that a terminal could act on stands in double quotes with
 * escapes, so that reading it back gives the same value. Loads yaml.
 */
export async function renderYaml(data: unknown): Promise<string> {
  // Through JSON first: undefined and shared objects drop out exactly as they do under --json.
  // Text that YAML 1.1 would read as a date or a boolean is quoted: many readers still do.
  const document: Document = new yaml.Document(JSON.parse(JSON.stringify(data) ?? 'null'), {
    compat: 'yaml-1.1',
  })
  yaml.visit(document, {
    Scalar(_key, scalar: Scalar) {
      if (typeof scalar.value === 'string' && needsEscape(scalar.value)) scalar.type = 'QUOTE_DOUBLE'
    },
  })
  // What is unsafe now stands only in double quotes, where YAML reads escapes.
  return escapeInJson(document.toString({ lineWidth: 0 }), yamlEscape)
}

/** Not a surrogate pair as in JSON: YAML has eight digits for characters beyond U+FFFF. */
function yamlEscape(character: string): string {
  const hex = (character.codePointAt(0) ?? 0).toString(16)
  return hex.length > 4 ? `\\U${hex.padStart(8, '0')}` : `\\u${hex.padStart(4, '0')}`
}

/**
 * Newlines and tabs YAML itself writes well, with one exception: the library loses spaces at the edge of a
 * line in a block (`' \n'` reads back as `'\n'`).
 */
function needsEscape(text: string): boolean {
  if (text.includes('\n') && /(^|\n)[ \t]|[ \t](\n|$)/.test(text)) return true
  return isUnsafe(text.replace(/[\n\t]/g, ' '))
}
