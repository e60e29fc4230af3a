import { Args, Flags } from '@oclif/core'
import { openInboxOf } from '../cli/command/inbox.ts'
import { UsageError } from '../cli/errors/errors.ts'
import type { Inbox } from '../inbox/inbox.ts'
import {
  type AssembledListener,
  assembleListener,
  ListenerCommand,
  listenFlags,
} from './webhooks/_listener.ts'
import type { PrintWhole } from './webhooks/_listener-subscription.ts'

export default class Tui extends ListenerCommand<typeof Tui> {
  static override summary = 'Watch operations and deliveries live, and act on them with a key'
  static override description =
    'Shows what any bankapi on this machine started, read politely until it is done, and what webhooks arrived. On `local` ' +
    'it listens by itself; elsewhere with --forward (and every option of webhooks listen) or the key l, else it shows what ' +
    'another running listener receives. The selected row is shown in full beside the lists; `:` opens Clients, Connections, ' +
    'accounts and transactions; ? lists the keys. Without a terminal, the same events come as lines, or as one JSON object ' +
    'per line with --json.'
  static override examples = [
    '<%= config.bin %> tui',
    '<%= config.bin %> tui --env local --forward localhost:3000',
    '<%= config.bin %> tui op_123 op_456',
    '<%= config.bin %> tui --json | jq -c .status',
  ]
  static override args = {
    ids: Args.string({
      description: 'Operations to watch beside those this machine knows, op_<id> …',
      multiple: true,
      ignoreStdin: true,
    }),
  }
  static override flags = {
    ...listenFlags,
    'no-listen': Flags.boolean({
      summary: 'On local, do not listen by itself: show what other listeners of this machine receive',
    }),
  }

  protected override async execute(): Promise<void> {
    const { session, terminal, signal, flags } = this
    const operationIds = (this.args.ids ?? []).map(operationId)
    const inbox = await openInboxOf(session)
    const assembled: AssembledListener[] = []
    const assemble = async (anyPort: boolean, printWhole: PrintWhole) => {
      const made = await this.#assemble(inbox, anyPort, printWhole)
      assembled.push(made)
      return made
    }
    // What would be gone with the screen is printed after it.
    const afterwards: (object | string)[] = []
    const makeListener = ({ anyPort }: { readonly anyPort: boolean }) =>
      assemble(anyPort, async (answer) => void afterwards.push(answer))
    try {
      const listening = this.#listens ? await assemble(false, this.printWhole) : undefined
      const { openScreen } = await import('./_screen.ts')
      await openScreen({
        ...{ session, terminal, signal, inbox, operationIds, listening, makeListener },
        listensItself: listening === undefined && session.environment.mode === 'local' && !flags['no-listen'],
        focusedList: listening === undefined ? 'operations' : 'deliveries',
        forwardTimeoutMs: flags['forward-timeout'],
        insecureTls: flags['insecure-tls'],
        utc: flags.utc ?? false,
        json: this.format !== undefined,
        warn: this.warning,
      })
    } finally {
      for (const answer of afterwards) await this.printWhole(answer)
      for (const { secret } of assembled) await this.releaseSecret(secret)
      await inbox.close()
    }
  }

  #assemble(inbox: Inbox, anyPort: boolean, printWhole: PrintWhole): Promise<AssembledListener> {
    const { session, terminal, signal, warning: onWarning } = this
    const flags = anyPort ? { ...this.flags, port: 0 } : this.flags
    return assembleListener(
      { session, terminal, signal, flags, root: this.config.root, onWarning, printWhole },
      inbox,
    )
  }

  /** Whether it also listens: when a flag names a target or a secret. */
  get #listens(): boolean {
    const { forward, subscription, 'public-url': publicUrl, 'secret-stdin': fromStdin } = this.flags
    return Boolean(forward ?? subscription ?? publicUrl) || fromStdin
  }
}

function operationId(word: string): string {
  if (/^op_\S+$/.test(word)) return word
  throw new UsageError(`"${word}" is not an operation id: it has to start with op_`, { code: 'invalid_id' })
}
