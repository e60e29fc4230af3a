/** Breaking sentences into lines at spaces. */
import { displayWidth } from './width.ts'

/**
 * Wraps plain text to `width` columns at spaces; later lines start with `indent`. Newlines in the text stay.
 * A word longer than a line stands alone and whole: it is an id, a URL or a command, and people copy it.
 */
export function wrap(text: string, width: number, indent = ''): string {
  return text
    .split('\n')
    .flatMap((line, at) => wrapLine(line, width, at === 0 ? 0 : indent.length, indent.length))
    .join(`\n${indent}`)
}

function wrapLine(line: string, width: number, firstIndent: number, indent: number): string[] {
  if (displayWidth(line) + firstIndent <= width) return [line]
  const lines: string[] = []
  let current = line.slice(0, line.search(/[^ ]|$/))
  let empty = true
  for (const word of line.slice(current.length).split(' ')) {
    const longer = empty ? current + word : `${current} ${word}`
    const room = width - (lines.length === 0 ? firstIndent : indent)
    if (empty || displayWidth(longer) <= room) {
      current = longer
    } else {
      lines.push(current)
      current = word
    }
    empty = false
  }
  return [...lines, current]
}
