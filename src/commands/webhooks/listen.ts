import { Flags } from '@oclif/core'
import { ApiCommand } from '../../cli/api-command.ts'
import { eventTypesMatching } from '../../cli/event-patterns.ts'
import { duration } from '../../cli/flags.ts'
import { forwardRoute } from '../../cli/forward-target.ts'
import { openInboxOf } from '../../cli/inbox-file.ts'
import { backgroundSecrets } from '../../cli/known-secrets.ts'
import { type ListenerSecret, listenerSecret } from '../../cli/listener-secret.ts'
import { secretFlags } from '../../cli/signing-secret.ts'
import { untilStopped } from '../../cli/until-stopped.ts'
import { UsageError } from '../../cli/usage-error.ts'
import { safeJson, safeText } from '../../output/safe-text.ts'

export default class WebhooksListen extends ApiCommand<typeof WebhooksListen, void> {
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
    "<%= config.bin %> webhooks listen --json | jq -c 'select(.verified) | .event'",
  ]
  static override flags = {
    forward: Flags.string({
      summary: 'Where to forward: 3000, localhost:3000/path, a URL, or connection.*=URL for some types',
      helpValue: 'URL',
      multiple: true,
      multipleNonGreedy: true,
    }),
    port: Flags.integer({
      summary: 'Port to listen on; 0 picks a free one',
      default: 4020,
      min: 0,
      max: 65_535,
    }),
    host: Flags.string({ summary: 'Address to listen on', default: '127.0.0.1' }),
    path: Flags.string({ summary: 'Path at which deliveries come', default: '/' }),
    events: Flags.string({
      summary: 'Only these types, separated by commas; * stands for any text',
      helpValue: 'a,b',
    }),
    ...secretFlags,
    'public-url': Flags.string({
      summary: 'Address under which the service reaches this listener; subscribes it while listening',
      helpValue: 'URL',
    }),
    rotate: Flags.boolean({
      summary: "Replace the subscription's secret if it is not known here (the old one stays valid 24 hours)",
    }),
    ack: Flags.boolean({ summary: 'Answer 200 whatever your server says' }),
    dedupe: Flags.boolean({ summary: 'Do not forward an event again that your server accepted' }),
    'insecure-forward': Flags.boolean({ summary: 'Forward also what does not verify' }),
    'insecure-tls': Flags.boolean({ summary: 'Accept any certificate of your server' }),
    header: Flags.string({
      char: 'H',
      summary: 'A header for your server',
      helpValue: 'NAME:VALUE',
      multiple: true,
      multipleNonGreedy: true,
    }),
    'forward-timeout': duration({
      summary: 'Give your server this long to answer',
      default: 30_000,
      defaultHelp: async () => '30s',
    }),
  }

  readonly #lines: string[] = []

  protected override async execute(): Promise<void> {
    const { flags, session } = this
    const { createListener } = await import('../../listener/listener.ts')
    const routes = await Promise.all((flags.forward ?? []).map(forwardRoute))
    const events = flags.events?.split(',').map((name) => name.trim())
    const secret = await listenerSecret(session, this.terminal, {
      flags,
      eventTypes: eventTypesMatching(events),
      signal: this.signal,
      onWarning: this.warning,
    })
    const inbox = await openInboxOf(session)
    const listener = createListener({
      environment: session.environment.value,
      subscription: secret.subscription,
      inbox,
      secrets: secret.accepted,
      knownSecrets: backgroundSecrets(session),
      clock: this.machine,
      host: flags.host,
      port: flags.port,
      path: flags.path,
      publicUrl: flags['public-url'],
      forward: routes,
      events,
      ack: flags.ack,
      dedupe: flags.dedupe,
      insecureForward: flags['insecure-forward'],
      insecureTls: flags['insecure-tls'],
      extraHeaders: (flags.header ?? []).map(headerPair),
      forwardTimeoutMs: flags['forward-timeout'],
      onBound: secret.subscribe,
    })
    const { textLines, jsonObject } = await import('../../listener/lines.ts')
    const lost = Promise.withResolvers<never>()
    lost.promise.catch(() => {})
    listener.subscribe((event) => {
      if (event.kind === 'error' && event.fatal) lost.reject(event.error)
      if (this.format === undefined) this.#print(...textLines(event, { safe: safeText }))
      else
        this.#print(
          ...[jsonObject(event)].filter((object) => object !== undefined).map((object) => safeJson(object)),
        )
    })
    try {
      await listener.start().catch((error: unknown) => {
        throw portError(error)
      })
      await untilStopped(this.signal, lost.promise)
    } finally {
      await listener.close()
      this.#flush()
      await this.#release(secret)
      inbox.close()
    }
  }

  /** What is told in one turn of the event loop leaves in one piece: writing to a pipe waits for the system. */
  #print(...lines: readonly string[]): void {
    if (lines.length === 0) return
    if (this.#lines.length === 0) setImmediate(() => this.#flush())
    this.#lines.push(...lines)
  }

  #flush(): void {
    const lines = this.#lines.splice(0)
    if (lines.length > 0) this.terminal.stdout.write(`${lines.join('\n')}\n`)
  }

  async #release(secret: ListenerSecret): Promise<void> {
    const why = await secret.release()
    if (why !== undefined) this.note(why)
  }
}

function portError(error: unknown): unknown {
  const { code, port } = error as NodeJS.ErrnoException & { port?: number }
  if (code !== 'EADDRINUSE' && code !== 'EACCES') return error
  return new UsageError(`Port ${port} is ${code === 'EACCES' ? 'not allowed to you' : 'in use'}`, {
    code: 'port_unavailable',
    hint: 'Choose another with --port; 0 picks a free one',
  })
}

function headerPair(header: string): readonly [string, string] {
  const colon = header.indexOf(':')
  if (colon < 1) throw new UsageError(`"${header}" is not a header`, { hint: 'Write it like -H Name:value' })
  return [header.slice(0, colon).trim(), header.slice(colon + 1).trim()]
}
