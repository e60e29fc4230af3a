/**
 * Takes secrets out of what is written about a run: the debug log, warnings, notes and errors. A service, or a proxy, may
 * repeat anywhere in its answer what it was sent. There is one list for the process, because a line may come from any
 * part of it and a secret that was left out of somebody's list would be printed.
 */

/** Every form of a secret that was used in this run, with what stands in its place. */
const replacements = new Map<string, string>()

/** A shorter text would be found in words that have nothing to do with it. */
const MIN_LENGTH = 8

/** The prefix of a secret says what it is, and no more. */
const prefix = /^(?:sk_test_|sk_live_|whsec_)/

/** Keeps a secret out of every line from now on. Returns it. */
export function hidden(secret: string): string {
  if (secret.length < MIN_LENGTH || replacements.has(secret)) return secret
  const shown = `${prefix.exec(secret)?.[0] ?? ''}…`
  for (const form of formsOf(secret)) replacements.set(form, shown)
  return secret
}

/** The secret as it is, in JSON, in an address, with each byte percent-encoded, and in base64. */
function formsOf(secret: string): Set<string> {
  const hex = [...Buffer.from(secret)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
  const base64 = [0, 1, 2].map((before) => withinBase64(secret, before))
  return new Set([
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    hex,
    hex.toUpperCase(),
    ...base64,
    ...base64.map((form) => form.replaceAll('+', '-').replaceAll('/', '_')),
  ])
}

/**
 * What base64 of a longer text has of the secret, with so many bytes `before` it in its first group of three: without the
 * characters that depend on what stands before and after it.
 */
function withinBase64(secret: string, before: number): string {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)])
  const whole = bytes.subarray(0, bytes.length - (bytes.length % 3))
  return whole.toString('base64').slice(before === 0 ? 0 : before + 1)
}

/**
 * The text without secrets: each one of this run, and whatever has the form of one, is replaced by its prefix and `…`. The
 * beginning of a key that is safe to display is shorter and stays.
 */
export function redacted(text: string): string {
  let safe = text
  for (const [form, shown] of replacements) safe = safe.replaceAll(form, shown)
  return safe.replace(/\b(sk_test_|sk_live_|whsec_)\w{8,}/g, '$1…')
}
