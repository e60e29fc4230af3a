/** Decides which request paths are accepted: those at or below the listener's own path that stay below the target's. */

/** The exact path or one below it: `/hooks` takes `/hooks`, `/hooks?x` and `/hooks/a`, and not `/hooks-2`. */
export function isBelow(prefix: string, path: string): boolean {
  const [bare = ''] = path.split('?')
  return bare === prefix || bare.startsWith(`${prefix}/`)
}

/** `.`, `/`, `\`, what may end a segment, and `%` itself, as servers decode them. */
const escaped = /%(?:2e|2f|5c|3b|23|25)/gi
/** How often a path may be encoded over itself. */
const MAX_DECODINGS = 3

/**
 * Whether a server could resolve this path to one outside the prefix it is appended to, or to another host: it has dot
 * segments or backslashes, encoded or not, or starts with two slashes. The listener appends paths as they are, and what
 * their target makes of them is not known here.
 */
export function escapesPrefix(path: string): boolean {
  let [bare = ''] = path.split('?')
  for (let decoded = 0; bare.includes('%'); decoded++) {
    const next = bare.replace(escaped, decodeURIComponent)
    if (next === bare) break
    if (decoded === MAX_DECODINGS) return true
    bare = next
  }
  // Some servers end a segment at a semicolon, `..;/`, and any URL ends at `#`.
  return bare.startsWith('//') || /\\|\/\.{1,2}(?:[/;#]|$)/.test(bare)
}
