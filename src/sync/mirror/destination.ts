/** Reads where a mirror is: a SQLite file, or a Postgres database. */
import { resolve } from 'node:path'
import { MirrorError } from './mirror-error.ts'

export type Destination =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string }

/** `sqlite:path`, a plain path, or `postgres://…`. @throws MirrorError `bad_destination` for any other URL. */
export function destinationOf(text: string): Destination {
  if (/^postgres(ql)?:/i.test(text)) return { kind: 'postgres', url: text }
  const path = text.replace(/^sqlite:(?:\/\/)?/, '')
  if (path === '' || /^[a-z][a-z0-9+.-]+:\/\//i.test(path)) {
    throw new MirrorError(
      'bad_destination',
      'A mirror is a SQLite file or a Postgres database, and this is neither.',
      'Name a file (mirror.sqlite), or postgres://user@host/database',
    )
  }
  return { kind: 'sqlite', path: resolve(path) }
}
