/** Sets a variable in a file of environment variables, such as `.env`. */
import { lstatSync, readFileSync } from 'node:fs'
import { BankapiError } from '../errors.ts'
import { replaceFile } from './private-file.ts'

/** Bytes; a larger file is none of environment variables. */
const MAX_BYTES = 1024 * 1024

/** Needs no quotes for a shell, Node, Docker or a dotenv package. */
const plain = /^[\w.,:/@%+=~-]+$/
/** Stays as it is between single quotes. */
const quotable = /^[\x20-\x26\x28-\x7e]+$/

/**
 * Sets a variable, wherever it is set already, else in a line at the end; all other bytes stay. The file is replaced as
 * a whole, and is 0600 from then on, as it holds a secret.
 * @throws BankapiError (exit 2) when it is a link or no file, cannot be read or written, or when the value cannot be quoted.
 */
export function setEnvVariable(path: string, name: string, value: string): void {
  const assignment = `${name}=${quoted(path, value)}`
  try {
    // As latin1, so that bytes which are no UTF-8 stay as well.
    replaceFile(path, Buffer.from(withLine(existing(path), name, assignment), 'latin1'))
  } catch (error) {
    if (error instanceof BankapiError) throw error
    throw refused(path, `cannot be written (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'})`)
  }
}

/** An assignment. A value in quotes may span lines, as Node and the dotenv packages read it; a line within it sets nothing. */
const assignments =
  /^([ \t]*(?:export[ \t]+)?)([\w.-]+)[ \t]*=(?:[ \t]*(?:'(?:\\'|[^'])*'|"(?:\\"|[^"])*"|`(?:\\`|[^`])*`)[ \t]*(?:#[^\r\n]*)?$|[^\r\n]*)/gm

function withLine(text: string, name: string, assignment: string): string {
  let isSet = false
  const changed = text.replace(assignments, (whole, start: string, found: string) => {
    if (found !== name) return whole
    isSet = true
    return `${start}${assignment}`
  })
  if (isSet) return changed
  const end = text.includes('\r\n') ? '\r\n' : '\n'
  return `${text}${text === '' || text.endsWith('\n') ? '' : end}${assignment}${end}`
}

function existing(path: string): string {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return ''
  // A link is replaced by the file when it is renamed, and its target keeps the old secret.
  if (found.isSymbolicLink()) throw refused(path, 'is a link', 'Name the file that it leads to')
  if (!found.isFile() || found.size > MAX_BYTES) throw refused(path, 'is no file of environment variables')
  return readFileSync(path, 'latin1')
}

function quoted(path: string, value: string): string {
  if (plain.test(value)) return value
  if (quotable.test(value)) return `'${value}'`
  throw refused(path, 'cannot hold this secret: it has characters that such files cannot express')
}

function refused(path: string, why: string, hint?: string): BankapiError {
  return new BankapiError(`${path} ${why}`, { code: 'env_file', exit: 'usage', hint })
}
