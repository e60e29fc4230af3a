/**
 * Renders pages of help with oclif's Help, unwrapped: src/cli/help/layout.ts lays them out for the terminal that shows them.
 * The build renders every page once, bin/dev.js only the page that is shown.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type Command, CommandHelp, Config, Help } from '@oclif/core'
import { helpPageFile } from '../../src/cli/built-files.ts'
import { listRow } from '../../src/cli/help/layout.ts'
import { versionPlaceholder } from '../../src/cli/help/page.ts'
import { topicNames } from '../../src/cli/help/topic-names.ts'
import { helpTopic } from '../../src/cli/help/topics.ts'
import { rootPage } from './root-help.ts'

export interface HelpPages {
  /** The words of every page; empty for the page of the whole program. */
  readonly subjects: readonly (readonly string[])[]
  render(words: readonly string[]): Promise<string>
}

/**
 * oclif's page of a command. Its line of usage takes `exclusive` for one flag against one other: of several that exclude
 * the same one, all but the first were followed by an empty alternative.
 */
class BankapiCommandHelp extends CommandHelp {
  override renderList(input: (string | undefined)[][]): string {
    return rowsOf(input)
  }

  /** What the command does comes before its flags; the summary is above all of it. */
  protected override sections() {
    const sections = super.sections()
    const description = sections.filter(({ header }) => header === 'DESCRIPTION')
    const [usage, ...rest] = sections.filter(({ header }) => header !== 'DESCRIPTION')
    return usage === undefined ? sections : [usage, ...description, ...rest]
  }

  protected override description(): string | undefined {
    const { description = '' } = this.command
    return description === '' ? undefined : this.wrap(description)
  }

  protected override defaultUsage(): string {
    const flags = Object.values(this.command.flags)
    const excluders = Map.groupBy(
      flags.flatMap(({ name, exclusive = [] }) => exclusive.map((other) => ({ name, other }))),
      ({ other }) => other,
    )
    const groups = [...excluders]
      .filter(([, those]) => those.length > 1)
      .map(([other, those]) => ({ other, those: those.map(({ name }) => name) }))
    const grouped = new Set(groups.flatMap(({ other, those }) => [other, ...those]))
    const alternatives = groups.map(({ other, those }) => {
      const [alone, several] = [[other], those].map((names) =>
        this.#usageOf(({ name }) => names.includes(name)),
      )
      return `[${several} | ${alone?.slice(1, -1)}]`
    })
    const { command } = this
    const rest = this.#usageOf(({ name }) => !grouped.has(name), command.args)
    return ['<%= command.id %>', rest, ...alternatives].filter((part) => part !== '').join(' ')
  }

  /** The usage of some flags: `[--add SCOPES] [--remove SCOPES]`. */
  #usageOf(isOne: (flag: Command.Flag.Any) => boolean, args: Command.Loadable['args'] = {}): string {
    const { command } = this
    const names = new Set(
      Object.values(command.flags)
        .filter(isOne)
        .map(({ name }) => name),
    )
    const flags = Object.entries(command.flags)
      .filter(([name]) => names.has(name))
      .map(([name, flag]) => [
        name,
        { ...flag, exclusive: flag.exclusive?.filter((other) => names.has(other)) },
      ])
    this.command = { ...command, args, flags: Object.fromEntries(flags) } as Command.Loadable
    const usage = super.defaultUsage().replace('<%= command.id %>', '').trim()
    this.command = command
    return usage
  }
}

/** oclif's Help with topics that are not commands (`bankapi help environment`) and a root page of our own. */
class BankapiHelp extends Help {
  protected override CommandHelpClass = BankapiCommandHelp

  /** A name that is both an area and a topic (`webhooks`) shows its commands first, then the explanation. */
  override async showHelp(argv: string[]): Promise<void> {
    const [subject, ...rest] = argv.filter((word) => word !== 'help' && !word.startsWith('-'))
    const topic = rest.length === 0 ? helpTopic(subject) : undefined
    if (topic === undefined) return super.showHelp(argv)
    if (this.config.findTopic(topic.name)) await super.showHelp(argv)
    this.log(topic.text.trimEnd())
  }

  override renderList(input: (string | undefined)[][]): string {
    return rowsOf(input)
  }

  protected override async showRootHelp(): Promise<void> {
    this.log(rootPage(this.config))
  }
}

/** The rows of a list: oclif would wrap them to one width. Many alternatives can be wrapped between them. */
function rowsOf(rows: (string | undefined)[][]): string {
  return rows
    .map(([term = '', meaning = '']) => {
      const breakable = meaning.replaceAll(/\S{30,}/g, (word) => word.replaceAll('|', ' | '))
      return listRow(term, breakable.replaceAll('\n', ' ')).slice(2)
    })
    .join('\n')
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
  const entries = [...config.commands, ...config.topics].map((entry) => ({ entry, as: { ...entry } }))
  return {
    subjects: [...new Set([...names, ...topicNames])].map((name) => name.split(':').filter(Boolean)),
    async render(words) {
      // oclif rewrites the names of entries it has shown (`keys:list` to `keys list`) and then does not find them again.
      for (const { entry, as } of entries) Object.assign(entry, as)
      const help = new HelpAsText(config, { maxWidth: Number.MAX_SAFE_INTEGER, stripAnsi: true })
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
