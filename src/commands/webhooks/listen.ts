import { Flags } from '@oclif/core'
import { openInboxOf } from '../../cli/command/inbox.ts'
import { UsageError } from '../../cli/errors/errors.ts'
import type { Inbox } from '../../inbox/inbox.ts'
import { setEnvVariable } from '../../machine/env-file.ts'
import { type AssembledListener, ListenerCommand, listenFlags } from './_listener.ts'
import { Lines, listenAsLines } from './_listening.ts'
import { namesSecret } from './_signing-secret.ts'

export default class WebhooksListen extends ListenerCommand<typeof WebhooksListen> {
  static override summary = 'Receive deliveries, verify their signatures, and forward them to your server'
  static override description =
    'Every delivery is verified over its exact bytes, kept in the inbox, and forwarded with the same method, path, headers ' +
    "and bytes; what your server answers goes back to the sender, so the service's own retries work. A delivery that does " +
    'not verify is answered 401 and not forwarded. On `local` it subscribes at the emulator by itself and removes that at ' +
    'the end; elsewhere give --public-url, --subscription or a secret. Started again at the same address, it finds the ' +
    'subscription again that an earlier one left behind. With --write-env your server gets the secret: start it after Ready. ' +
    'Ctrl-C ends it in order (exit code 0).'
  static override examples = [
    '<%= config.bin %> webhooks listen --env local --forward localhost:3000',
    '<%= config.bin %> webhooks listen --env local --forward localhost:3000 --write-env .env',
    '<%= config.bin %> webhooks listen --subscription whk_0a1b --forward 3000/hooks',
    "<%= config.bin %> webhooks listen --forward 'connection.*=localhost:3000/banks' --forward localhost:3000/rest",
    '<%= config.bin %> webhooks listen --forward localhost:3000 --tui',
    "<%= config.bin %> webhooks listen --json | jq -c 'select(.verified) | .event'",
  ]
  static override flags = {
    ...listenFlags,
    'write-env': Flags.string({
      summary:
        'Set BANKAPI_WEBHOOK_SECRET in this .env file of your server (0600) before Ready; its other lines stay',
      helpValue: 'FILE',
    }),
    'print-secret': Flags.boolean({
      summary: 'Print the signing secret after Ready, with --json in its object',
      exclusive: ['tui'],
    }),
    tui: Flags.boolean({ summary: 'Watch on the screen instead of as lines' }),
  }

  protected override async prepare(): Promise<void> {
    const { jq, columns } = this.flags
    if (jq !== undefined || columns !== undefined) {
      throw new UsageError(
        `webhooks listen takes no ${jq === undefined ? '--columns' : '--jq'}: it prints an object per delivery`,
        {
          hint: "Choose in a pipe: bankapi webhooks listen --json | jq -c 'select(.verified) | .event'",
        },
      )
    }
    await super.prepare()
  }

  protected override async execute(): Promise<void> {
    const inbox = await openInboxOf(this.session)
    const lines = new Lines(this.terminal)
    const { 'write-env': envFile, 'print-secret': printSecret } = this.flags
    let secret: string | undefined
    try {
      const { environment } = this.session
      if (environment.source === 'default' && namesSecret(this.session, this.flags)) {
        this.note(
          `No environment is named: deliveries are filed as ${environment.value} in ${inbox.place}. Another one: --env`,
        )
      }
      const listening = await this.assembleListener(inbox, (current) => {
        if (printSecret) secret = current
        if (envFile !== undefined) setEnvVariable(envFile, 'BANKAPI_WEBHOOK_SECRET', current)
      })
      try {
        if (this.flags.tui) await this.#onScreen(listening, inbox)
        else {
          const { terminal, signal, warning: onWarning } = this
          const { listener } = listening
          await listenAsLines({
            listener,
            terminal,
            lines,
            json: this.format !== undefined,
            utc: this.utc,
            signal,
            onWarning,
            shownSecret: () => secret,
          })
        }
      } finally {
        lines.flush()
        await this.releaseSecret(listening.secret)
      }
    } finally {
      await inbox.close()
    }
  }

  async #onScreen(listening: AssembledListener, inbox: Inbox): Promise<void> {
    const { session, terminal, signal, flags } = this
    const { openScreen } = await import('../_screen.ts')
    await openScreen({
      ...{ session, terminal, signal, inbox, listening, focusedList: 'deliveries' as const },
      forwardTimeoutMs: flags['forward-timeout'],
      insecureTls: flags['insecure-tls'],
      utc: this.utc,
      json: this.format !== undefined,
      warn: this.warning,
    })
  }
}
