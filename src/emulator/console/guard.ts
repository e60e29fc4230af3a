/**
 * Who may use the console: a browser that was opened with the address that the start printed. The address carries a token,
 * for which the browser gets a cookie; what changes something has to send a second token, which only the console's own pages
 * contain, from this very origin.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

export interface Guard {
  /** In the address that the start prints. */
  readonly token: string
  /** In every form of the console. */
  readonly formToken: string
  /** Whether `token` is the one of the address. */
  knows(token: string): boolean
  /**
   * The header that gives a browser its cookie. Cookies know no ports, so its name does. Lax, so that it comes along when
   * a link on another site's page opens the console: nothing is changed by a GET.
   */
  cookie(host: string | undefined): string
  /** Whether the request has the cookie. */
  admits(headers: IncomingHttpHeaders): boolean
  /** Whether the request has the cookie, comes from a page of this origin, and has the token of its forms. */
  admitsChange(headers: IncomingHttpHeaders, formToken: string | null): boolean
}

/** Tokens are made for one run: those of an earlier one open nothing. */
export function createGuard(): Guard {
  const [token, session, formToken] = [secret(), secret(), secret()]
  const admits: Guard['admits'] = (headers) => same(cookieOf(headers), session)
  return {
    token,
    formToken,
    knows: (given) => same(given, token),
    cookie: (host) => `${cookieName(host)}=${session}; Path=/; HttpOnly; SameSite=Lax`,
    admits,
    admitsChange: (headers, given) =>
      admits(headers) && isFromThisOrigin(headers) && given !== null && same(given, formToken),
  }
}

/**
 * Browsers send Origin with every POST, and Sec-Fetch-Site with every request to loopback. A page of another port is
 * another origin, although the cookie comes along.
 */
export function isFromThisOrigin({ origin, host, 'sec-fetch-site': site }: IncomingHttpHeaders): boolean {
  return (
    (origin === undefined || origin === `http://${host}`) && (site === undefined || site === 'same-origin')
  )
}

function secret(): string {
  return randomBytes(24).toString('base64url')
}

function same(given: string | undefined, wanted: string): boolean {
  const [a, b] = [Buffer.from(given ?? ''), Buffer.from(wanted)]
  return a.length === b.length && timingSafeEqual(a, b)
}

function cookieName(host: string | undefined): string {
  return `bankapi_console_${/:(\d+)$/.exec(host ?? '')?.[1] ?? '80'}`
}

function cookieOf({ cookie = '', host }: IncomingHttpHeaders): string | undefined {
  const start = `${cookieName(host)}=`
  return cookie
    .split('; ')
    .find((one) => one.startsWith(start))
    ?.slice(start.length)
}
