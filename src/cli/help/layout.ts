/**
 * Lays out a page of help for the width of the terminal. A page has no line breaks but those between paragraphs: a row of a
 * list is its term, a tab and its meaning; a line that begins with a tab stays as it is, unless it is a command too long for
 * the terminal, which continues after a backslash. Words are never broken.
 */
import { displayWidth, pad, wrap } from '../../output/width.ts'

/** Longer lines are hard to read, however wide the terminal is. */
const MAX_WIDTH = 120
/** A meaning with less room stands below its term. */
const MIN_MEANING = 28
const gap = 2

export function listRow(term: string, meaning: string): string {
  return `  ${term}\t${meaning}`
}

export function verbatim(line: string): string {
  return `\t${line}`
}

export function layOut(page: string, terminalWidth: number): string {
  const width = Math.min(MAX_WIDTH, Math.max(20, terminalWidth))
  const lines = page.split('\n')
  const laidOut: string[] = []
  for (let at = 0; at < lines.length; ) {
    const rows = listFrom(lines, at)
    laidOut.push(...(rows.length > 0 ? list(rows, width) : [lineOf(lines[at] ?? '', width)]))
    at += Math.max(1, rows.length)
  }
  return laidOut.join('\n')
}

type Row = readonly [term: string, meaning: string]

/** The rows of a list that begins at a line; none when it is no row. */
function listFrom(lines: readonly string[], start: number): Row[] {
  const rows: Row[] = []
  for (const line of lines.slice(start)) {
    const [term = '', meaning] = line.split('\t', 2)
    if (term === '' || meaning === undefined) break
    rows.push([term, meaning])
  }
  return rows
}

/** Meanings stand below each other; a term longer than two fifths of the line, or without one beside it, has its own. */
function list(rows: readonly Row[], width: number): string[] {
  const most = Math.floor(width * 0.4)
  const fitting = rows.map(([term]) => displayWidth(term)).filter((each) => each <= most)
  const column = Math.max(0, ...fitting) + gap
  const isStacked = width - column < MIN_MEANING
  const indent = ' '.repeat(isStacked ? 6 : column)
  return rows.flatMap(([term, meaning]) => {
    if (meaning === '') return [term]
    const text = wrap(meaning, width - indent.length).replaceAll('\n', `\n${indent}`)
    const isBeside = !isStacked && displayWidth(term) <= most
    return isBeside ? [pad(term, column) + text] : [term, indent + text]
  })
}

function lineOf(line: string, width: number): string {
  const [, indent = '', rest = ''] = /^([\t ]*)(.*)$/s.exec(line) ?? []
  const shownIndent = indent.replaceAll('\t', '  ')
  if (indent.startsWith('\t') || rest.startsWith('$ ')) return command(rest, shownIndent, width)
  return shownIndent + wrap(rest, width - shownIndent.length).replaceAll('\n', `\n${shownIndent}`)
}

/** A group in brackets, which may hold others, is one. */
const usageWords = /(?:\[[^[\]]*(?:\[[^\]]*\][^[\]]*)*\]|[^\s])+/g
/** What is quoted is one; so is a flag with its value. */
const shellWords = /(?:--?[a-z][a-z-]* (?![-|<>&]))?(?:'[^']*'|"[^"]*"|[^\s'"])+/g

/** A command, or the usage of one: in several lines where it is too long, broken between its words. */
function command(text: string, indent: string, width: number): string {
  if (indent.length + displayWidth(text) <= width) return indent + text
  const isUsage = /^\$ .*\[/.test(text) && !/['"]/.test(text)
  const words = text.match(isUsage ? usageWords : shellWords) ?? []
  const ending = isUsage ? '' : ' \\'
  const next = `${indent}    `
  const lines: string[] = []
  let current = indent
  for (const word of words.flatMap((each) => parts(each, isUsage, width - next.length - ending.length))) {
    const joined = current.trim() === '' ? current + word : `${current} ${word}`
    if (displayWidth(joined) + ending.length <= width || current.trim() === '') current = joined
    else {
      lines.push(current + ending)
      current = next + word
    }
  }
  return [...lines, current].join('\n')
}

/** What is longer than a line, in parts: the group of a usage as `[--a`, `| --b]`, a flag without its value. */
function parts(word: string, isUsage: boolean, width: number): string[] {
  if (displayWidth(word) <= width) return [word]
  if (!isUsage) return word.split(/(?<=^--?[a-z][a-z-]*) /)
  return word
    .split(/ (?=\||\[|--)/)
    .flatMap((part) => (displayWidth(part) <= width ? [part] : part.split(/(?<=\S\|)/)))
}
