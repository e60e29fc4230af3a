/** Looks up the password of a database in the file of psql: lines of host:port:database:user:password, `*` standing for any. */
import { readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { type PostgresAddress, PostgresAddressError } from './address.ts'

/**
 * The password in the file that PGPASSFILE names, else in ~/.pgpass; undefined when there is none for this address. Throws
 * PostgresAddressError for a file that others can read.
 */
export function passwordInFile(
  { host, port, database }: PostgresAddress,
  user: string,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const path = env['PGPASSFILE'] || join(env['HOME'] || homedir(), '.pgpass')
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats?.isFile() !== true) return undefined
  if (process.platform !== 'win32' && (stats.mode & 0o077) !== 0) {
    throw new PostgresAddressError(
      'has its password in a file that others can read',
      `Run: chmod 600 '${path}'`,
    )
  }
  const wanted = [host.startsWith('/') ? 'localhost' : host, String(port), database, user]
  for (const line of readFileSync(path, 'utf8').split(/\r?\n/)) {
    const [password, ...place] = fieldsOf(line).reverse()
    const fits = place.reverse().every((field, at) => field === '*' || field === wanted[at])
    if (place.length === wanted.length && fits && !line.startsWith('#')) return password
  }
  return undefined
}

/** A colon or backslash within a field has a backslash before it. */
function fieldsOf(line: string): string[] {
  const fields = ['']
  for (let at = 0; at < line.length; at++) {
    if (line[at] === ':' && fields.length < 5) fields.push('')
    else fields.push(`${fields.pop()}${line[at] === '\\' && at + 1 < line.length ? line[++at] : line[at]}`)
  }
  return fields
}
