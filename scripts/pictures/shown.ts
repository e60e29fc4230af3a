/** What a picture shows, as text that is the same each time: its words, colours and structure. */
import { createHash } from 'node:crypto'
import type { Line, Look, Run } from './cells.ts'

/** Eight hexadecimal digits that change with the text. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8)
}

const varying: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, 'UUID'],
  [/\b[0-9a-f]{8}-[0-9a-f-]*…[0-9a-f-]*/g, 'UUID'],
  [/\b(op|evt|whk|cli|cs|sk_test|sk_live)_([0-9a-f]{8,}|[0-9a-f]*…[0-9a-f]*)/g, '$1_ID'],
  [/(?<=[/_=])[0-9a-f]{16,}\b/g, 'ID'],
  [/(?<=\b|T)\d\d:\d\d:\d\d(\.\d+)?/g, 'TIME'],
  [/\b(127\.0\.0\.1|localhost):\d+/g, '$1:PORT'],
  [/ --port \d+/g, ''],
  [/\b\d+\/\d+ s\b/g, 'PROGRESS'],
  [/\b[\d.,]+ ?(ms|s|m|min|h)\b/g, 'DURATION'],
  [/\b\d+ jobs? ran/g, 'N jobs ran'],
  [/\b[\d.]+(?= ?(\/|per )min)/g, 'N'],
  [/[─━]{2,}/g, '─'],
  [/[\u2581-\u2593]+/g, '▒'],
  [/[\u2800-\u28ff]+/g, '⠿'],
  [/^now$|DURATION ago/g, 'AGE'],
  // Where text is cut depends on the width of other columns.
  [/[^\s"‹›|]*…[^\s"‹›|]*/g, '…'],
  [/\s+/g, ' '],
]

/** Without what differs from run to run: times, durations, ids and ports. Lines, bars and spinners are one mark each. */
export function withoutValues(text: string): string {
  return varying.reduce((left, [pattern, name]) => left.replace(pattern, name), text)
}

/** Screens of a terminal, one after the other; text that does not look plain is marked: ‹bold 6|$›. */
export function shownScreens(screens: readonly (readonly Line[])[]): string {
  return screens.map((lines, at) => `── ${at + 1}\n${lines.map(shownLine).join('\n').trimEnd()}\n`).join('')
}

function shownLine(line: Line): string {
  let text = ''
  let end = 0
  for (const run of line) {
    text += `${run.column > end ? ' ' : ''}${shownRun(run)}`
    end = run.column + run.width
  }
  return text.replaceAll(/ +/g, ' ').trimEnd()
}

function shownRun({ text, look }: Run): string {
  const plain = withoutValues(text)
  const named = nameOf(look)
  return named === '' ? plain : `‹${named}|${plain}›`
}

function nameOf({ ink, ground, ...marks }: Look): string {
  return [
    ...Object.keys(marks),
    ...(ink === undefined ? [] : [`ink ${ink}`]),
    ...(ground === undefined ? [] : [`ground ${ground}`]),
  ].join(', ')
}

/** A page in a browser: its texts; a digest of its HTML and style stands for how it looks. */
export function shownPage(name: string, texts: readonly string[], html: string): string {
  const looks = html
    .replaceAll(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '')
    .replaceAll(/(?<=["/=])[\w-]{20,}(?=["&?/])/g, '')
    .replaceAll(/\b[0-9a-f]{16,}\b|_[0-9a-f]{12,}\b/g, '')
    .replaceAll(/\b\d{4}-\d\d-\d\dT[\d:.]+Z|\b\d\d:\d\d:\d\d\b|\b\d+ ms\b|\b\d{13}\b/g, '')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1')
  return `── ${name}\n${texts.map((text) => withoutValues(text).trim()).join('\n')}\nlooks: ${digestOf(looks)}\n`
}
