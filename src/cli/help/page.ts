/** Writes a page of help to the terminal, in its width. */
import { styleText } from 'node:util'
import { terminalOf } from '../terminal/terminal.ts'
import { layOut } from './layout.ts'

/** A page has this where the version goes, which names the machine that shows it. */
export const versionPlaceholder = '{version}'

/** Writes a page to stdout, its headings bold where there are colours: bold is no colour, so help needs no chalk. */
export function writeHelp(page: string, process: NodeJS.Process, version: string): void {
  const { stdout, color, width } = terminalOf(process)
  const bold = (heading: string) => (color ? styleText('bold', heading, { validateStream: false }) : heading)
  const text = layOut(page.replace(versionPlaceholder, version), width)
  stdout.write(text.replaceAll(/^[A-Z][A-Z ]+$/gm, bold))
}
