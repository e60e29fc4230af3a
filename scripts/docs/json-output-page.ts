/** Writes the table of formats into docs/json-output.md; the rest of the page is written by hand. */
import { readFileSync } from 'node:fs'
import { documentFormats, formats } from '../../src/output/document.ts'

const page = new URL('../../docs/json-output.md', import.meta.url)
const table = /(?<=\| form \| what stdout has \|\n\| --- \| --- \|\n)(?:\|.*\n)+/

export function jsonOutputPage(): string {
  const rows = documentFormats.map((format) => {
    const form = format === 'json' ? '`--json`, `-o json`' : `\`-o ${format}\``
    return `| ${form} | ${formats[format].prints} |\n`
  })
  rows.push('| `--jq EXPR` | what the jq program gives for the document, strings without quotes |\n')
  return readFileSync(page, 'utf8').replace(table, () => rows.join(''))
}
