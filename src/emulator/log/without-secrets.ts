/** Takes what opens something out of a request's path and bodies: keys, signing and portal secrets, tokens of links. */

/** Values of these fields, whatever they look like. */
const secretField = /"(signing_secret|secret|api_key|key|token|sid|password)"(\s*:\s*)"(?:[^"\\]|\\.)*"?/g
/** Tokens of hosted pages, in a path, and in a query; in JSON an address ends at a quotation mark. */
const inAddress =
  /(\/(?:widget|reauthorize|connect-sessions?)\/|[?&](?:token|sid|code|signature)=)[^/?&#"\s]+/g
/** Made by the emulator: 32 digits or more. Ids have fewer. */
const made = /[0-9a-f]{32,}/g
/** Keys and signing secrets of any form. */
const prefixed = /\b(sk_test_|sk_live_|whsec_)\w{8,}/g

export function withoutSecrets(text: string): string {
  return text
    .replace(secretField, '"$1"$2"…"')
    .replace(inAddress, '$1…')
    .replace(made, '…')
    .replace(prefixed, '$1…')
}

/** A secret that begins within the part of a text that is kept ends within so many characters more. */
export const LONGEST_SECRET = 200

/** The beginning of a text, without secrets: taken out before it is cut, so that none is left in part. */
export function beginningOf(text: string, length: number): string {
  const safe = withoutSecrets(text.slice(0, length + LONGEST_SECRET))
  return safe.length > length ? `${safe.slice(0, length)}…` : safe
}
