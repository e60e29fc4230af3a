/** Parses `--forward`: `3000`, `:3000/path`, `localhost:3000` or a whole URL, optionally after `connection.*=`. */
import { BankapiError } from '../errors.ts'

export interface ForwardRoute {
  /** An event type, `*` standing for any text; without it, the route of all types that no other matches. */
  match?: string | undefined
  /** Absolute, http or https. */
  url: string
}

const withPattern = /^([\w.*]+)=(.*)$/s

/** Parses the value of `--forward`. @throws BankapiError `invalid_forward`. */
export function parseForward(text: string): ForwardRoute {
  const [, match, target] = withPattern.exec(text) ?? [undefined, undefined, text]
  const url = parseTarget((target ?? '').trim())
  return match === undefined || match === '*' ? { url } : { match, url }
}

/** Parses every `--forward`. @throws BankapiError `invalid_forward`, also for a target that no delivery can reach. */
export function parseForwards(texts: readonly string[]): ForwardRoute[] {
  const routes = texts.map(parseForward)
  for (const [at, { match }] of routes.entries()) {
    const first = routes.findIndex((earlier) => takesAll(earlier.match, match))
    if (first === at) continue
    throw new BankapiError(
      `--forward ${texts[at]} would get no delivery: ${texts[first]}, before it, gets every one it could`,
      {
        code: 'invalid_forward',
        exit: 'usage',
        hint: "A delivery goes to one target. By type: --forward 'connection.*=localhost:3000/banks' --forward localhost:3000/rest",
      },
    )
  }
  return routes
}

/** Whether every type of the later route fits the earlier. Only a `*` of the one pattern takes a `*` of the other. */
function takesAll(earlier: string | undefined, later: string | undefined): boolean {
  if (earlier === undefined || later === undefined) return earlier === later
  return matchesType(earlier, later)
}

/** The route of a type: the first whose pattern matches, else the first without a pattern. */
export function routeFor<Route extends ForwardRoute>(
  routes: readonly Route[],
  type: string | undefined,
): Route | undefined {
  const fitting = routes.find(
    ({ match }) => match !== undefined && type !== undefined && matchesType(match, type),
  )
  return fitting ?? routes.find(({ match }) => match === undefined)
}

/** Whether a type fits a pattern in which `*` stands for any text, the dot included. */
export function matchesType(pattern: string, type: string): boolean {
  const [start = '', ...rest] = pattern.split('*')
  const end = rest.pop()
  if (end === undefined) return pattern === type
  if (type.length < start.length + end.length || !type.startsWith(start) || !type.endsWith(end)) return false
  const inside = type.slice(start.length, type.length - end.length)
  let from = 0
  for (const piece of rest) {
    const at = inside.indexOf(piece, from)
    if (at === -1) return false
    from = at + piece.length
  }
  return true
}

/**
 * The URL a delivery is forwarded to: the path and query it was sent to, appended to the target's own path and query. `/` adds nothing, so that a target such as `localhost:3000/hooks` is called exactly as it is written.
 */
export function targetUrl(target: string | URL, path: string): string {
  const { origin, pathname, search } = typeof target === 'string' ? new URL(target) : target
  const [requestPath = '/', ...queries] = path.split('?')
  const below = requestPath === '/' ? pathname : pathname.replace(/\/$/, '') + requestPath
  const query = [search.slice(1), queries.join('?')].filter((part) => part !== '').join('&')
  return `${origin}${below}${query === '' ? '' : `?${query}`}`
}

function parseTarget(text: string): string {
  const url = toUrl(text)
  if (url === undefined || !/^(?:[\w.-]+|\[[\da-f:.]+\])$/.test(url.hostname)) {
    throw invalidForward(
      `"${text}" is no target: write localhost:3000, 3000, or http://localhost:3000/hooks.`,
    )
  }
  if (url.username !== '' || url.password !== '') {
    throw invalidForward('A target holds no user and password: send them with --header "Authorization: …".')
  }
  url.hash = ''
  return url.href
}

function toUrl(text: string): URL | undefined {
  if (/^https?:\/\//i.test(text)) return URL.parse(text) ?? undefined
  // Another scheme; `localhost:3000` only looks like one.
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return undefined
  if (/^:?\d+(?:[/?]|$)/.test(text))
    return URL.parse(`http://localhost:${text.replace(/^:/, '')}`) ?? undefined
  return URL.parse(`http://${text}`) ?? undefined
}

function invalidForward(sentence: string): BankapiError {
  return new BankapiError(sentence, { code: 'invalid_forward', exit: 'usage' })
}
