import { Flags } from '@oclif/core'
import { openInboxOf } from '../cli/command/inbox.ts'
import { systemMessage, UsageError } from '../cli/errors/errors.ts'
import { helpOf } from '../cli/errors/facts.ts'
import { describeFailure } from '../cli/errors/report.ts'
import { shellWord } from '../cli/terminal/shell-word.ts'
import type { Inbox } from '../inbox/inbox.ts'
import { systemClock } from '../machine/machine.ts'
import type { AssistantMirror, Failure, Group } from '../mcp/assistant.ts'
import type { CallLog, openCallLog } from '../mcp/call-log.ts'
import type { ErrorReport } from '../output/error-text.ts'
import { currentScopes, findKey } from '../workflows/rotate-scopes.ts'
import { MirrorCommand } from './sync/_mirror-command.ts'

/** The help of the command says nothing of what a tool takes. */
function withoutHelp({ hint, ...failure }: ErrorReport): Failure {
  const lines = hint?.split('\n').filter((line) => !line.endsWith(helpOf({ command: 'mcp' })))
  return { ...failure, hint: lines?.join('\n') || undefined }
}

const groups = ['refresh', 'reauthorize', 'link', 'webhooks'] as const satisfies readonly Group[]

export default class Mcp extends MirrorCommand<typeof Mcp, undefined> {
  static override summary = 'Let an assistant look: tools over bank data for an MCP client'
  static override description =
    'A server of the Model Context Protocol on stdin and stdout, which an assistant starts: it finds Clients, triages ' +
    'Connections, reads accounts and transactions, and explains deliveries. It only reads, unless --allow names a group of ' +
    'tools that act; nothing deletes, revokes or makes keys. The environment is fixed at the start, live needs --env, and ' +
    'every answer names it. Names and account masks are left out without --pii. With --connector the tools are those of the ' +
    "service's own connector, which this passes messages on to, with the stored key."
  static override examples = [
    '<%= config.bin %> mcp --env local',
    '<%= config.bin %> mcp --env sandbox --allow refresh,reauthorize --log mcp.log',
    '<%= config.bin %> mcp --env sandbox --connector',
  ]
  static override flags = {
    connector: Flags.boolean({
      summary:
        "Pass messages on to the service's own connector, at /mcp, which decides what its tools may do",
      exclusive: ['allow', 'pii', 'log'],
    }),
    allow: Flags.option({
      summary: `Groups of tools that may act: ${groups.join(', ')}`,
      options: groups,
      multiple: true,
      delimiter: ',',
    })(),
    pii: Flags.boolean({ summary: 'Show names, e-mail addresses and account masks' }),
    log: Flags.string({
      summary: 'Append a line for each call to this file: tool, outcome and time, never data',
      helpValue: 'FILE',
    }),
  }

  #inbox: Promise<Inbox> | undefined

  protected override async execute(): Promise<undefined> {
    const { session, flags } = this
    const { value: name, mode } = session.environment
    if (mode === 'live' && flags.env === undefined) {
      throw new UsageError(`${name} has real data: name it on the command line`, {
        code: 'environment_missing',
        hint: `bankapi mcp --env ${name}${flags.connector ? ' --connector' : ''}`,
      })
    }
    // Missing credentials are told at the start, where a person looks, and not to the assistant.
    const { secret } = await session.apiKey()
    if (this.terminal.stdin.isTTY) {
      this.note(
        'An assistant starts this, and speaks to it on stdin and stdout: docs/mcp.md has its configuration.',
      )
    }
    await (flags.connector ? this.#bridge(secret) : this.#serve())
    return undefined
  }

  async #bridge(apiKey: string): Promise<void> {
    const { connectorUrl, startBridge } = await import('../mcp/connector/start.ts')
    const tell = (sentence: string) => this.tell(sentence)
    await startBridge({
      url: connectorUrl(this.session.baseUrl.value),
      apiKey,
      userAgent: this.userAgent,
      env: this.machine.env,
      clock: systemClock,
      random: { fraction: Math.random },
      stdin: this.terminal.stdin,
      stdout: this.terminal.stdout,
      signal: this.signal,
      onEvent: tell,
      ...(this.flags.debug ? { log: tell } : {}),
    })
  }

  async #serve(): Promise<void> {
    const { session, signal, flags } = this
    const { value: name, mode } = session.environment
    const [{ serve }, { openCallLog: open }] = await Promise.all([
      import('../mcp/serve.ts'),
      import('../mcp/call-log.ts'),
    ])
    const shown = name === mode ? name : `${name} (${mode})`
    const log = flags.log === undefined ? undefined : this.#openLog(flags.log, name, open)
    const mirror = await this.#mirror()
    await serve({
      assistant: {
        api: this.api,
        clock: systemClock,
        environment: { name, shown },
        listedScopes: async (signal) => {
          const { secret } = await session.apiKey()
          const key = await findKey({ api: this.api, clock: systemClock, signal }, { secretInUse: secret })
          return key && currentScopes(key)
        },
        allowed: new Set(flags.allow ?? []),
        pii: flags.pii,
        clientId: session.defaultClientId,
        now: () => this.now(),
        // Whoever runs it may have another environment in the shell.
        command: (...words) => ['bankapi', ...words, '--env', name].map(shellWord).join(' '),
        describe: (error, args) =>
          withoutHelp(describeFailure(error, { ...this.failureContext, args, flags: { env: name } })),
        redacted: this.redacted,
        openInbox: () => {
          this.#inbox ??= openInboxOf(session)
          return this.#inbox
        },
        journal: this.journal,
        openLinks: async () =>
          (await import('./connections/_kept-links.ts')).keptLinks(this.machine, session),
        mirror,
      },
      version: this.config.version,
      stdin: this.terminal.stdin,
      stdout: this.terminal.stdout,
      signal,
      onCall: (outcome) => log?.write(outcome),
      onBug: (error) => this.warning(describeFailure(error).message),
      onProtocolError: this.warning,
    })
    await log?.close()
  }

  #openLog(file: string, environment: string, open: typeof openCallLog): CallLog {
    try {
      return open(file, {
        environment,
        now: this.machine.now,
        onFailure: ({ message }) => this.warning(`the log is not written: ${message}`),
      })
    } catch (error) {
      throw new UsageError(`The log cannot be written: ${systemMessage(error)}`, { code: 'not_writable' })
    }
  }

  async #mirror(): Promise<AssistantMirror | undefined> {
    const [{ MirrorError }, { mirrorAge }] = await Promise.all([
      import('../sync/mirror/mirror-error.ts'),
      import('../sync/client-connections.ts'),
    ])
    try {
      const mirror = await this.openMirrorOfService()
      return {
        query: mirror.query,
        completeSince: async () => (await mirrorAge(mirror, this.session.environment.value)).complete_since,
      }
    } catch (error) {
      if (!(error instanceof MirrorError)) throw error
      if (error.code !== 'no_mirror') this.warning(`the mirror is left out: ${error.sentence}`)
      return undefined
    }
  }

  protected override async close(): Promise<void> {
    await (await this.#inbox?.catch(() => undefined))?.close()
    await super.close()
  }
}
