/** Runs the console blocks of a page, one after the other, and gives what a terminal shows. */
import type { EmulatorShell } from '../support/emulator-shell.ts'

export interface ShownScreens {
  /** The page with what the terminal shows now. */
  readonly page: string
  /** The content of each block, as the page has it. */
  readonly shown: readonly string[]
  /** The content of each block, as the terminal shows it. */
  readonly real: readonly string[]
}

const block = /```console\n([\s\S]*?)```/g

/** `export NAME=VALUE` sets a variable for the lines below it. */
export async function shownScreens(
  page: string,
  emulator: EmulatorShell,
  columns: number,
): Promise<ShownScreens> {
  const env: Record<string, string> = {}
  const shown: string[] = []
  const real: string[] = []
  let written = page
  for (const [whole, content = ''] of page.matchAll(block)) {
    let text = ''
    for (const line of content.split('\n').filter((one) => one.startsWith('$ '))) {
      const [, name, value = ''] = /^\$ export (\w+)=(.*)$/.exec(line) ?? []
      if (name !== undefined) {
        env[name] = await emulator.text(`printf %s ${value}`, { env })
        text += `${line}\n`
        continue
      }
      const { code, screen } = await emulator.open(line.slice(2), { columns, env }).ended
      text += `${line}\n${screen.trimEnd()}\n${code === 0 ? '' : `[exit ${code}]\n`}`
    }
    text = text.replaceAll(emulator.home.folder, '~').replaceAll(/\n\n+(?=\$|\[|$)/g, '\n')
    written = written.replace(whole, () => `\`\`\`console\n${text}\`\`\``)
    shown.push(content)
    real.push(text)
  }
  return { page: written, shown, real }
}
