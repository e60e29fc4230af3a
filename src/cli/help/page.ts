/** A page of help on the terminal. */
import { createPaint } from '../../output/palette.ts'
import { terminalOf } from '../terminal/terminal.ts'

/** Stands in a page for the version: it names the machine it is shown on. */
export const versionPlaceholder = '{version}'

/** Writes a page to stdout, its headings bold where there are colours. */
export function writeHelp(page: string, process: NodeJS.Process, version: string): void {
  const { stdout, color } = terminalOf(process)
  const paint = createPaint(color)
  stdout.write(
    page
      .replace(versionPlaceholder, version)
      .replaceAll(/^[A-Z][A-Z ]+$/gm, (heading) => paint('bold', heading)),
  )
}
