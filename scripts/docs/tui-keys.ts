/** Writes the table of keys into docs/tui.md; the rest of the page is written by hand. */
import { readFileSync } from 'node:fs'
import { keyBindings } from '../../src/tui/state/keys.ts'

const page = new URL('../../docs/tui.md', import.meta.url)
const marked = /(<!-- keys -->\n).*?(<!-- end -->)/s

export function tuiPage(): string {
  const text = readFileSync(page, 'utf8')
  if (!marked.test(text)) throw new Error('docs/tui.md has no markers for the table of keys')
  const rows = keyBindings.flatMap(({ help }) =>
    help === undefined ? [] : [`| ${help.keys.replace(/\S+/g, '`$&`')} | ${help.does} |`],
  )
  const table = ['| key | does |', '| --- | --- |', ...rows].join('\n')
  return text.replace(marked, (_, start: string, end: string) => `${start}\n${table}\n\n${end}`)
}
