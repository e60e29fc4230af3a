import { Flags } from '@oclif/core'
import { openInboxOf } from '../../cli/command/inbox.ts'
import { untilStopped } from '../../cli/terminal/interrupt.ts'
import type { Inbox } from '../../inbox/inbox.ts'
import { safeJson, safeText } from '../../output/safe-text.ts'
import { type AssembledListener, ListenerCommand, listenFlags, portError } from './_listener.ts'
import { keepRunningUnwritten } from './_listener-output.ts'

export default class WebhooksListen extends ListenerCommand<typeof WebhooksListen> {
  static override summary = 'Receive deliveries, verify their signatures, and forward them to your server'
  static override description =
    'Every delivery is verified over its exact bytes, kept in the inbox, and forwarded with the same method, path, headers ' +
    "and bytes; what your server answers goes back to the sender, so the service's own retries work. A delivery that does " +
    'not verify is answered 401 and not forwarded. On `local` it subscribes at the emulator by itself and removes that at ' +
    'the end; elsewhere give --public-url, --subscription or a secret. Started again at the same address, it finds the ' +
    'subscription again that an earlier one left behind. Ctrl-C ends it in order (exit code 0).'
  static override examples = [
    '<%= config.bin %> webhooks listen --env local --forward localhost:3000',
    '<%= config.bin %> webhooks listen --subscription whk_0a1b --forward 3000/hooks',
    "<%= config.bin %> webhooks listen --forward 'connection.*=localhost:3000/banks' --forward localhost:3000/rest",
    '<%= config.bin %> webhooks listen --forward localhost:3000 --tui',
    "<%= config.bin %> webhooks listen --json | jq -c 'select(.verified) | .event'",
  ]
  static override flags = {
    ...listenFlags,
    tui: Flags.boolean({ summary: 'Watch on the screen instead of as lines' }),
  }

  readonly #lines: string[] = []

  protected override async execute(): Promise<void> {
    const inbox = await openInboxOf(this.session)
    try {
      const listening = await this.assembleListener(inbox)
      try {
        if (this.flags.tui) await this.#onScreen(listening, inbox)
        else await this.#asLines(listening)
      } finally {
        this.#flush()
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
      utc: this.flags.utc ?? false,
      json: this.format !== undefined,
      warn: this.warning,
    })
  }

  async #asLines({ listener }: AssembledListener): Promise<void> {
    const { textLines, jsonObject } = await import('../../listener/lines.ts')
    const stopKeeping = keepRunningUnwritten(this.terminal, ({ message }) =>
      this.warning(`stdout cannot be written (${message}): lines are dropped, the listener goes on`),
    )
    const lost = Promise.withResolvers<never>()
    lost.promise.catch(() => {})
    listener.subscribe((event) => {
      if (event.kind === 'error' && event.fatal) lost.reject(event.error)
      // stdout has one object per delivery, so an error goes to stderr.
      else if (event.kind === 'error' && this.format !== undefined) this.warning(event.error.message)
      if (this.format === undefined) {
        this.#print(...textLines(event, { safe: safeText }))
        return
      }
      const object = jsonObject(event)
      if (object !== undefined) this.#print(safeJson(object))
    })
    try {
      await listener.start().catch((error: unknown) => {
        throw portError(error)
      })
      await untilStopped(this.signal, lost.promise)
    } finally {
      await listener.close()
      this.#flush()
      // The stream reports what it could not write in a later turn.
      await new Promise(setImmediate)
      stopKeeping()
    }
  }

  /** Writes the lines of one turn of the event loop at once: each write to a pipe waits for the system. */
  #print(...lines: readonly string[]): void {
    if (lines.length === 0) return
    if (this.#lines.length === 0) setImmediate(() => this.#flush())
    this.#lines.push(...lines)
  }

  #flush(): void {
    const lines = this.#lines.splice(0)
    if (lines.length > 0) this.terminal.stdout.write(`${lines.join('\n')}\n`)
  }
}
