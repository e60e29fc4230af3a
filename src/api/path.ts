/** Paths with parameters in them, so built that no parameter can lead to another path. */
import { InputError } from './errors.ts'

const placeholder = /\{([^{}]*)\}/g

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not pass
const unsafe = /[/\\\u0000-\u001f\u007f-\u009f]/

/** Names of the parameters in a template, in order. */
export function placeholders(template: string): string[] {
  return Array.from(template.matchAll(placeholder), ([, name]) => name ?? '')
}

/**
 * The template with its parameters filled in and percent-encoded.
 * @throws InputError for a parameter that is missing, empty, `.` or `..`, or holds a slash or a control character.
 */
export function fillPath(template: string, params: Readonly<Record<string, unknown>>): string {
  return template.replaceAll(placeholder, (_, name: string) => encodeSegment(name, params[name]))
}

function encodeSegment(name: string, value: unknown): string {
  if (value === undefined || value === null || value === '') {
    throw new InputError('missing_parameter', `${name} is missing`, { param: name, hint: `Give a ${name}` })
  }
  const text = String(value)
  if (unsafe.test(text) || isDots(text) || !text.isWellFormed()) {
    throw new InputError('invalid_parameter', `${name} cannot be part of an address`, {
      param: name,
      hint: 'An id is neither . nor .., and holds no slash and no control character',
    })
  }
  return encodeURIComponent(text)
}

/** Segments that a URL parser would resolve instead of sending. */
function isDots(segment: string): boolean {
  return segment === '.' || segment === '..'
}

/** Whether a segment is empty or, once decoded, would change the path it stands in. */
export function isUnsafeSegment(segment: string): boolean {
  let decoded: string
  try {
    decoded = decodeURIComponent(segment)
  } catch {
    return true
  }
  return decoded === '' || unsafe.test(decoded) || isDots(decoded)
}
