import { Args } from '@oclif/core'
import { ApiCommand } from '../cli/api-command.ts'
import { systemClock } from '../cli/clock.ts'
import { eventTypesMatching } from '../cli/event-patterns.ts'
import { describeFailure } from '../cli/failure.ts'
import { forwardRoute } from '../cli/forward-target.ts'
import { openInboxOf } from '../cli/inbox-file.ts'
import { backgroundSecrets } from '../cli/known-secrets.ts'
import { type ListenerSecret, listenerSecret } from '../cli/listener-secret.ts'
import { openInBrowser } from '../cli/open-in-browser.ts'
import { UsageError } from '../cli/usage-error.ts'
import { safeText } from '../output/safe-text.ts'
import WebhooksListen from './webhooks/listen.ts'

export default class Tui extends ApiCommand<typeof Tui, void> {
  static override summary = 'Watch operations and deliveries live, and act on them with a key'
  static override description =
    'Shows what any bankapi on this machine started, read politely until it is done, and what webhooks arrived: here with ' +
    '--forward (and every option of webhooks listen), else at another running listener. Press ? for the keys. Without a ' +
    'terminal, the same events come as lines, or as one JSON object per line with --json.'
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
  static override flags = { ...WebhooksListen.flags }

  protected override async execute(): Promise<void> {
    const { session, terminal } = this
    const operationIds = (this.args.ids ?? []).map(operationId)
    const listens = this.#listens
    const secret = listens ? await this.#secret() : undefined
    const inbox = await openInboxOf(session)
    try {
      const { runTui } = await import('../tui/run.ts')
      const routes = await Promise.all((this.flags.forward ?? []).map(forwardRoute))
      const key = await session.apiKey().catch(() => undefined)
      const environment = session.environment.value
      const { flags } = this
      const events = this.#events
      const extraHeaders = (flags.header ?? []).map(headerPair)
      const listener =
        secret &&
        (await import('../listener/listener.ts')).createListener({
          environment,
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
          extraHeaders,
          forwardTimeoutMs: flags['forward-timeout'],
          onBound: secret.subscribe,
        })
      await runTui({
        api: this.api,
        clock: systemClock,
        signal: this.signal,
        environment,
        live: environment === 'live',
        keyPrefix: key && `${key.secret.slice(0, 'sk_test_'.length + 4)}…`,
        utc: (this.flags as { utc?: boolean }).utc ?? false,
        front: listens ? 'deliveries' : 'operations',
        inbox,
        operationIds,
        ...(listener === undefined ? {} : { listener }),
        events,
        target: {
          routes,
          timeoutMs: flags['forward-timeout'],
          insecureTls: flags['insecure-tls'],
          extraHeaders,
          signingSecret: async () => (await secret?.accepted())?.[0],
        },
        safe: safeText,
        explain: (error) => describeFailure(error, process.argv.slice(2)).message,
        openUrl: (url, onProblem) => openInBrowser(url, this.machine, onProblem),
        terminal,
        json: this.format !== undefined,
        warn: this.warning,
      }).catch((error: unknown) => {
        throw portError(error)
      })
    } finally {
      await this.#release(secret)
      inbox.close()
    }
  }

  /** Whether it listens itself: when it is told where to, or with which secret. */
  get #listens(): boolean {
    const { forward, subscription, 'public-url': publicUrl, 'secret-stdin': fromStdin } = this.flags
    return Boolean(forward ?? subscription ?? publicUrl) || fromStdin
  }

  get #events(): string[] | undefined {
    return this.flags.events?.split(',').map((name) => name.trim())
  }

  #secret(): Promise<ListenerSecret> {
    return listenerSecret(this.session, this.terminal, {
      flags: this.flags,
      eventTypes: eventTypesMatching(this.#events),
      signal: this.signal,
      onWarning: this.warning,
    })
  }

  async #release(secret: ListenerSecret | undefined): Promise<void> {
    const why = await secret?.release()
    if (why !== undefined) this.note(why)
  }
}

function operationId(word: string): string {
  if (/^op_\S+$/.test(word)) return word
  throw new UsageError(`"${word}" is not an operation id: it has to start with op_`, { code: 'invalid_id' })
}

function portError(error: unknown): unknown {
  const { code, port } = error as NodeJS.ErrnoException & { port?: number }
  if (code !== 'EADDRINUSE' && code !== 'EACCES') return error
  return new UsageError(`Port ${port} is ${code === 'EACCES' ? 'not allowed to you' : 'in use'}`, {
    code: 'port_unavailable',
    hint: 'Choose another with --port; 0 picks a free one. A listener that runs already is shown without --forward',
  })
}

function headerPair(header: string): readonly [string, string] {
  const colon = header.indexOf(':')
  if (colon < 1) throw new UsageError(`"${header}" is not a header`, { hint: 'Write it like -H Name:value' })
  return [header.slice(0, colon).trim(), header.slice(colon + 1).trim()]
}
