/** Reads the ids of `--stdin`: one a line, as `--left` and `triage -o csv --columns connection_id` write them. */
import { BankapiError } from '../../errors.ts'
import { UsageError } from '../errors/errors.ts'
import { readText } from '../terminal/input.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** The first line of a CSV of ids: `triage -o csv --columns connection_id`. */
const headers = ['connection_id', 'id']

/** Characters of a line on stdin that an error shows. */
const MAX_SHOWN = 60

function shortened(line: string): string {
  const characters = [...line]
  return characters.length <= MAX_SHOWN ? line : `${characters.slice(0, MAX_SHOWN - 1).join('')}…`
}

/** The ids on stdin, each once. `check` throws for what is none. */
export async function idsFromStdin(
  terminal: Terminal,
  signal: AbortSignal,
  check: (id: string) => unknown,
): Promise<string[]> {
  const text = await readText(terminal, signal)
  const ids = new Set<string>()
  let first = true
  for (const [index, line] of text
    .replace(/^\u{feff}/u, '')
    .split('\n')
    .entries()) {
    const id = line.trim()
    if (id === '' || id.startsWith('#')) continue
    const isHeader = first && headers.includes(id)
    first = false
    if (isHeader) continue
    try {
      await check(id)
    } catch (error) {
      if (!(error instanceof BankapiError)) throw error
      const hint = error.hint ?? 'One id a line, as --left writes them'
      const sentence = error.sentence.replaceAll(id, () => shortened(id))
      throw new UsageError(`Line ${index + 1} of stdin: ${sentence}`, { code: error.code, hint })
    }
    ids.add(id)
  }
  return [...ids]
}
