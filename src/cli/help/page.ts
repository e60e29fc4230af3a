/** Writes a page of help to the terminal. */
import { styleText } from 'node:util'
import { terminalOf } from '../terminal/terminal.ts'

/** A page has this where the version goes, which names the machine that shows it. */
export const versionPlaceholder = '{version}'

/** Writes a page to stdout, its headings bold where there are colours: bold is no colour, so help needs no chalk. */
export function writeHelp(page: string, process: NodeJS.Process, version: string): void {
  const { stdout, color } = terminalOf(process)
  const bold = (heading: string) => (color ? styleText('bold', heading, { validateStream: false }) : heading)
  stdout.write(page.replace(versionPlaceholder, version).replaceAll(/^[A-Z][A-Z ]+$/gm, bold))
}
