import { Args } from '@oclif/core'
import { BaseCommand } from '../cli/command/base-command.ts'
import { bashCompletion } from './_completion/bash.ts'
import { fishCompletion } from './_completion/fish.ts'
import { completionNodes } from './_completion/model.ts'
import { zshCompletion } from './_completion/zsh.ts'

const scripts = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const

export default class Completion extends BaseCommand<typeof Completion, void> {
  static override summary = 'Print a script that completes bankapi in your shell'
  static override description =
    'The script knows every command, flag and fixed value (environments, formats, scopes, event types, settings). Profiles and the ids ' +
    'of Clients, Connections, Accounts, Operations and Subscriptions that commands have read come from files of this machine: ' +
    'the service is not asked while you type. bash: put the first line below into ~/.bashrc. zsh: the second into ~/.zshrc, after compinit. ' +
    'fish: the third writes the file that fish looks for. Make it anew after an update.'
  static override examples = [
    'source <(<%= config.bin %> completion bash)',
    'source <(<%= config.bin %> completion zsh)',
    '<%= config.bin %> completion fish > ~/.config/fish/completions/<%= config.bin %>.fish',
  ]
  static override args = {
    shell: Args.string({
      description: 'bash, zsh or fish',
      options: Object.keys(scripts),
      required: true,
      ignoreStdin: true,
    }),
  }

  protected override async execute(): Promise<void> {
    this.terminal.stdout.write(scripts[this.args.shell as keyof typeof scripts](completionNodes(this.config)))
  }
}
