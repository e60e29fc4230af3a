/** Help as oclif writes it, as text. The build renders every page once, bin/dev.js the page that is asked for. */
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Config } from '@oclif/core'
import { helpPageFile } from '../../src/cli/built-files.ts'
import { versionPlaceholder } from '../../src/cli/help/page.ts'
import { helpTopics, helpWidth } from '../../src/cli/help/topics.ts'
import BankapiHelp from './help.ts'

export interface HelpPages {
  /** The words of every page; none for the program's own. */
  readonly subjects: readonly (readonly string[])[]
  render(words: readonly string[]): Promise<string>
}

class HelpAsText extends BankapiHelp {
  text = ''

  protected override log(...lines: string[]): void {
    this.text += `${lines.join(' ')}\n`
  }
}

export async function helpPages(root: string): Promise<HelpPages> {
  const config = await Config.load({ root, ignoreManifest: true })
  config.userAgent = versionPlaceholder
  const names = ['', ...config.commandIDs, ...config.topics.map(({ name }) => name)]
  const topics = helpTopics.map(({ name }) => name)
  const entries = [...config.commands, ...config.topics].map((entry) => ({ entry, as: { ...entry } }))
  return {
    subjects: [...new Set([...names, ...topics])].map((name) => name.split(':').filter(Boolean)),
    async render(words) {
      // oclif rewrites the names of what it has shown (`keys:list` to `keys list`), and then does not find it again.
      for (const { entry, as } of entries) Object.assign(entry, as)
      const help = new HelpAsText(config, { maxWidth: helpWidth, stripAnsi: true })
      await help.showHelp([...words, '--help'])
      return help.text
    },
  }
}

/** Writes every page into the folder `dist`. */
export async function writeHelpPages(pages: HelpPages, dist: string): Promise<void> {
  for (const words of pages.subjects) {
    const file = fileURLToPath(helpPageFile(words, pathToFileURL(`${dist}/`)))
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, await pages.render(words))
  }
}
