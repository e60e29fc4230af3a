/** Renders help as text with oclif's Help. The build renders every page once, bin/dev.js only the page that is shown. */
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Config, Help } from '@oclif/core'
import { helpPageFile } from '../../src/cli/built-files.ts'
import { versionPlaceholder } from '../../src/cli/help/page.ts'
import { helpTopic, helpTopics, helpWidth } from '../../src/cli/help/topics.ts'

export interface HelpPages {
  /** The words of every page; empty for the page of the whole program. */
  readonly subjects: readonly (readonly string[])[]
  render(words: readonly string[]): Promise<string>
}

/** oclif's Help with topics that are not commands: `bankapi help environment`. */
class BankapiHelp extends Help {
  /** A name that is both an area and a topic (`webhooks`) shows its commands first, then the explanation. */
  override async showHelp(argv: string[]): Promise<void> {
    const [subject, ...rest] = argv.filter((word) => word !== 'help' && !word.startsWith('-'))
    const topic = rest.length === 0 ? helpTopic(subject) : undefined
    if (topic === undefined) return super.showHelp(argv)
    if (this.config.findTopic(topic.name)) await super.showHelp(argv)
    this.log(topic.text.trimEnd())
  }

  protected override async showRootHelp(): Promise<void> {
    await super.showRootHelp()
    const rows = helpTopics.map(({ name, summary }): [string, string] => [name, summary])
    this.log(
      this.section(
        'HELP TOPICS',
        this.renderList(rows, { indentation: 2, spacer: '\n', stripAnsi: this.opts.stripAnsi ?? false }),
      ),
    )
    this.log('')
  }
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
      // oclif rewrites the names of entries it has shown (`keys:list` to `keys list`) and then does not find them again.
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
