/** Checks base URLs and compares them. */
import { ConfigError } from './errors.ts'

/**
 * The base URL in the form that the rest of the program uses: ends in `/v3`, without a trailing slash.
 *
 * It is https unless its host is this machine (127.0.0.0/8, ::1, localhost), and has no user, query or fragment.
 * `from` names its source in the message; the address itself is not repeated, since a secret may have been pasted
 * there by mistake. `plainHost` is a further host to which http is taken. Throws ConfigError `base_url_invalid`.
 */
export function normalizeBaseUrl(text: string, from: string, plainHost?: string): string {
  const reason = fault(text.trim(), plainHost)
  if (reason !== undefined) {
    throw new ConfigError(
      'base_url_invalid',
      `The base URL in ${from} ${reason}.`,
      'It looks like https://api.example.com/v3 (http only for 127.0.0.1, ::1 and localhost). An emulator in another ' +
        'container: BANKAPI_EMULATOR=http://NAME:4010, with --env local',
    )
  }
  const url = new URL(text.trim())
  return url.origin + url.pathname.replace(/\/$/, '')
}

/** What is wrong with a base URL, as the end of a sentence; undefined when nothing is. */
export function fault(text: string, plainHost?: string): string | undefined {
  const url = URL.parse(text)
  if (url === null) return 'is not a URL'
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'is neither https nor http'
  if (url.username !== '' || url.password !== '') return 'has a user name or password in it'
  // An empty query or fragment is seen only in the text.
  if (/[?#]/.test(text)) return 'has a query or fragment'
  if (!/\/v3\/?$/.test(url.pathname)) return 'does not end in /v3'
  if (url.protocol === 'http:' && !isThisMachine(url) && url.hostname !== plainHost) {
    return 'is not https, and its host is not this machine'
  }
  return undefined
}

/** Whether the host of a URL is this machine: 127.0.0.0/8, ::1 or localhost, in any spelling that URL understands. */
export function isThisMachine(url: URL): boolean {
  return url.hostname === 'localhost' || url.hostname === '[::1]' || /^127(\.\d+){3}$/.test(url.hostname)
}

/** Whether two base URLs are of the same server; all names of this machine count as one. */
export function isSameBase(one: string, other: string): boolean {
  if (one === other) return true
  const a = new URL(one)
  const b = new URL(other)
  return (
    isThisMachine(a) &&
    isThisMachine(b) &&
    a.port === b.port &&
    a.protocol === b.protocol &&
    a.pathname === b.pathname
  )
}
