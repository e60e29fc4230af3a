/** oclif's help, with topics that are no commands: `bankapi help environment`. */
import { Help } from '@oclif/core'
import { helpTopic, helpTopics } from '../../src/cli/help/topics.ts'

export default class BankapiHelp extends Help {
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
