/** Takes what opens something out of a request's path and bodies: keys, signing and portal secrets, tokens of links. */

/** Names whose values are secret: `client_secret`, `accessToken`, `api-key`, `client[secret]`. */
const secretName =
  /(?:secret|passw(?:or)?d|passphrase|token|signature|(?:api|secret|private|access)[_-]?key)\]?$|^(?:key|sid|sig|pwd)$/i
/** A text of JSON, the last one perhaps cut off, and what follows the name of a field. */
const jsonText = /"((?:[^"\\]|\\.)*)(?:"(\s*:\s*)?|\\?$)/gs
/** A field with a number or a text; names may be spelled with escapes. */
const field = /"((?:[^"\\]|\\.)*)"(\s*:\s*)(?:"(?:[^"\\]|\\.)*(?:"|\\?$)|-?\d[\d.eE+-]*)/gs
/** A parameter of an address; in JSON an address ends at a quotation mark. */
const parameter = /([?&#;])([^=?&#;"\s]+)=([^&#"\s]+)/g
/** User name and password in an address. */
const userinfo = /([a-z][a-z\d+.-]*:\/\/)[^/?#"\s]*@/gi
/** Tokens of hosted pages, in a path. */
const inPath = /(\/(?:widget|reauthorize|connect-sessions?)\/)[^/?&#"\s]+/g
/** Made by the emulator: 32 digits or more. Ids have fewer. */
const made = /[0-9a-f]{32,}/g
/** Keys and signing secrets of any form. */
const prefixed = /\b(sk_test_|sk_live_|whsec_)\w{8,}/g

/** How often something may be spelled inside something else: an address in a parameter, JSON in JSON. */
const MAX_NESTED = 3

export function withoutSecrets(text: string, nested = MAX_NESTED): string {
  return text
    .replace(field, (all, name: string, colon: string) =>
      secretName.test(unescaped(name)) ? `"${name}"${colon}"…"` : all,
    )
    .replace(jsonText, (all, spelled: string, colon = '') => {
      const safe = safeMeaning(unescaped(spelled), spelled, nested)
      return safe === undefined ? all : `${JSON.stringify(safe)}${colon}`
    })
    .replace(userinfo, '$1…@')
    .replace(inPath, '$1…')
    .replace(parameter, (all, mark: string, name: string, value: string) =>
      isSecretParameter(decoded(name)) || safeMeaning(decoded(value), value, nested) !== undefined
        ? `${mark}${name}=…`
        : all,
    )
    .replace(made, '…')
    .replace(prefixed, '$1…')
}

/** What `spelled` means, without the secrets in it; undefined when there are none that its spelling hides. */
function safeMeaning(meaning: string, spelled: string, nested: number): string | undefined {
  if (meaning === spelled || nested === 0) return undefined
  const safe = withoutSecrets(meaning, nested - 1)
  return safe === meaning ? undefined : safe
}

function isSecretParameter(name: string): boolean {
  return secretName.test(name) || name === 'code'
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }

function unescaped(text: string): string {
  return text.replace(/\\(?:u([\da-f]{4})|(.))/gis, (_all, code?: string, letter = '') =>
    code ? String.fromCharCode(Number.parseInt(code, 16)) : (escapes[letter] ?? letter),
  )
}

function decoded(text: string): string {
  return text.replace(/(?:%[\da-f]{2})+/gi, (bytes) =>
    Buffer.from(bytes.replaceAll('%', ''), 'hex').toString(),
  )
}

/** A secret that begins within the part of a text that is kept ends within so many characters more. */
export const LONGEST_SECRET = 200

/** The beginning of a text, without secrets: taken out before it is cut, so that none is left in part. */
export function beginningOf(text: string, length: number): string {
  const safe = withoutSecrets(text.slice(0, length + LONGEST_SECRET))
  return safe.length > length ? `${safe.slice(0, length)}…` : safe
}
