/**
 * Makes text from outside (a bank's descriptions, names, error messages) safe for a terminal: characters that could
 * move the cursor, reorder a line, hide text or break a row are shown as something visible instead.
 */

const printableAscii = /^[ -~]*$/

/**
 * Letters of scripts in which a joiner between two letters changes how they are written; without signs that are invisible
 * themselves, since those may be shown as escapes.
 */
const joiningLetters = `[[[\\p{L}\\p{M}]--\\p{Default_Ignorable_Code_Point}]&&[${[
  'Arabic',
  'Syriac',
  'Mongolian',
  'Devanagari',
  'Bengali',
  'Gurmukhi',
  'Gujarati',
  'Oriya',
  'Tamil',
  'Telugu',
  'Kannada',
  'Malayalam',
  'Sinhala',
  'Khmer',
  'Myanmar',
]
  .map((script) => `\\p{Script_Extensions=${script}}`)
  .join('')}]]`

/** Everything unsafe but the ordinary control characters, whose range differs between JSON and plain text. */
const hiddenOrReordering = [
  // Bidi controls, zero-width characters, fillers, tag characters, lone surrogates, separators.
  String.raw`[[\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u{FFF9}-\u{FFFB}]--[\p{Variation_Selector}\u{200C}\u{200D}]]`,
  // A joiner is kept inside an emoji or between letters that join; anywhere else it only hides.
  String.raw`(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}${joiningLetters}]|\p{Extended_Pictographic}\u{FE0F})[\u{200C}\u{200D}]`,
  String.raw`[\u{200C}\u{200D}](?![\p{Extended_Pictographic}${joiningLetters}])`,
  // A variation selector is kept after what can vary: a symbol, a keycap's digit, an ideograph.
  String.raw`(?<![\p{Extended_Pictographic}\p{So}\p{Sm}\p{Script=Han}[\p{Script=Mongolian}--\p{Variation_Selector}]])(?!(?<=[0-9#*])\u{FE0F}\u{20E3})\p{Variation_Selector}`,
].join('|')

// Compiled when first needed: most of what a bank sends is plain ASCII.
let inText: RegExp | undefined
let inJson: RegExp | undefined

function unsafeInText(): RegExp {
  inText ??= new RegExp(String.raw`\r\n|\p{Cc}|${hiddenOrReordering}`, 'gv')
  return inText
}

function unsafeInJson(): RegExp {
  inJson ??= new RegExp(String.raw`[\x7F-\x9F]|${hiddenOrReordering}`, 'gv')
  return inJson
}

function visible(character: string): string {
  if (character === '\n' || character === '\r\n' || character === '\u2028' || character === '\u2029')
    return '⏎'
  if (character === '\t') return '⇥'
  const code = character.codePointAt(0) ?? 0
  const hex = code.toString(16)
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\u{${hex}}`
}

/**
 * One line of text for a cell or a sentence: a newline is shown as `⏎`, a tab as `⇥`, any other control, bidi,
 * zero-width or tag character as an escape such as `\x1b` or `\u202e`. Emoji and joining scripts stay whole.
 */
export function safeText(value: string): string {
  return printableAscii.test(value) ? value : value.replace(unsafeInText(), visible)
}

/** Like `safeText`, but the text keeps its newlines (CRLF becomes LF). */
export function safeBlock(value: string): string {
  if (printableAscii.test(value)) return value
  return value.replace(unsafeInText(), (found) =>
    found === '\n' || found === '\r\n' ? '\n' : visible(found),
  )
}

/** Like `safeBlock`, but tabs stay too: for text whose tabs mean something, such as a CSV cell or jq's `@tsv`. */
export function safeTabbed(value: string): string {
  if (printableAscii.test(value)) return value
  return value.replace(unsafeInText(), (found) => {
    if (found === '\n' || found === '\r\n') return '\n'
    return found === '\t' ? found : visible(found)
  })
}

/**
 * Finds what `safeText` would show as an escape, newlines and tabs included.
 * @returns whether `value` holds anything that must not reach a terminal as it is
 */
export function isUnsafe(value: string): boolean {
  return !printableAscii.test(value) && value.search(unsafeInText()) !== -1
}

/**
 * JSON text of a value, indented by `indent` spaces (0: one line). Equal to JSON.stringify once parsed: what a
 * terminal could act on (DEL, C1, bidi, zero-width) is written as `\uXXXX`, in pipes too, so that both agree.
 */
export function safeJson(value: unknown, indent = 0): string {
  return escapeInJson(JSON.stringify(value, null, indent) ?? 'null')
}

/** The same for text that is JSON already, or any text in which the result of `asEscape` is understood everywhere. */
export function escapeInJson(json: string, asEscape: (character: string) => string = jsonEscape): string {
  return isAscii(json) ? json : json.replace(unsafeInJson(), asEscape)
}

/** Whether there is nothing but ASCII, and no DEL. Ten times faster than a pattern, which counts for long lists. */
function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length && !text.includes('\x7f')
}

function jsonEscape(character: string): string {
  let escaped = ''
  for (let index = 0; index < character.length; index++) {
    escaped += `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`
  }
  return escaped
}
