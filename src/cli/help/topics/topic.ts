/** Text of `bankapi help <topic>`: plain, 80 columns. */
import { displayWidth, pad, wrap } from '../../../output/width.ts'

export interface HelpTopic {
  readonly name: string
  readonly summary: string
  /** The whole text, its last line ended by a newline. */
  readonly text: string
}

/** Columns that help is written for. */
export const helpWidth = 80

/** Paragraphs, lists and examples, a blank line between them. */
export function page(...blocks: readonly string[]): string {
  return `${blocks.map((block) => block.replace(/\n+$/, '')).join('\n\n')}\n`
}

export function paragraph(text: string): string {
  return wrap(text, helpWidth)
}

/** Lines that are not wrapped, such as commands. */
export function example(...lines: readonly string[]): string {
  return lines.map((line) => `  ${line}`).join('\n')
}

/** Terms on the left, what they mean on the right; a term too long for its column has a line of its own. */
export function definitions(rows: readonly (readonly [term: string, meaning: string])[]): string {
  const column = Math.min(26, Math.max(...rows.map(([term]) => displayWidth(term))))
  const indent = ' '.repeat(column + 4)
  return rows
    .map(([term, meaning]) => {
      const text = wrap(meaning, helpWidth - indent.length).replaceAll('\n', `\n${indent}`)
      return displayWidth(term) > column ? `  ${term}\n${indent}${text}` : `  ${pad(term, column)}  ${text}`
    })
    .join('\n')
}
