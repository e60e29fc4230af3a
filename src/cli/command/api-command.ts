/** The base class of commands that work in an environment; most of them call the service. */
import type { Command, Interfaces } from '@oclif/core'
import type { Api } from '../../api/api.ts'
import type { Wait } from '../../api/options.ts'
import { systemClock, variable } from '../../machine/machine.ts'
import { loadPaint } from '../../output/palette.ts'
import type { CommandContext } from '../errors/errors.ts'
import { programFile } from '../program-file.ts'
import { shellWord } from '../terminal/shell-word.ts'
import { BaseCommand, type Columns, type FlagsOf } from './base-command.ts'
import { outputFlags, serviceFlags } from './flags.ts'
import { type Journal, openJournal } from './inbox.ts'
import { Session, type SessionOptions } from './session.ts'

type SessionFlags = SessionOptions['flags']

export abstract class ApiCommand<T extends typeof Command, Result = unknown> extends BaseCommand<T, Result> {
  declare protected flags: FlagsOf<T, typeof serviceFlags>
  static override baseFlags: Interfaces.FlagInput = { ...serviceFlags, ...outputFlags }

  /** Works with a running emulator where nothing is configured. Commands about credentials do not: it needs none. */
  protected readonly prefersEmulator: boolean = true
  /** Called before a request is sent again. */
  protected onWait: ((wait: Wait) => void) | undefined
  #session: Session | undefined
  #journal: Journal | undefined

  protected abstract override execute(): Promise<Result>

  /** Opened before `execute`, so that a wrong environment is reported before anything else happens. */
  protected get session(): Session {
    if (this.#session === undefined) throw new Error('the command does not run')
    return this.#session
  }

  protected get api(): Api {
    return this.session.api
  }

  /** The Client to act for: `--client`, BANKAPI_CLIENT_ID or the setting. */
  protected get clientId(): string {
    return this.session.clientId('client' in this.flags ? this.flags['client'] : undefined)
  }

  /** Notes operations in the inbox of this machine. An inbox that cannot be written is a warning, never a failure. */
  protected get journal(): Journal {
    this.#journal ??= openJournal(this.session, this.warning)
    return this.#journal
  }

  /** The context of a workflow. */
  protected get context() {
    return { api: this.api, clock: systemClock, signal: this.signal }
  }

  /** A command to run next, in the same environment: `bankapi connections get con_FDE_123 --env local`. */
  protected command(...words: readonly string[]): string {
    const { env } = this.flags
    return ['bankapi', ...words, ...(env === undefined ? [] : ['--env', env])].map(shellWord).join(' ')
  }

  /** The keys of the answer of the command's operation. */
  protected override async columns(): Promise<Columns> {
    const { answerKeys, operationOf } = await import('./command-operations.ts')
    const found = operationOf(this.words)
    return found === undefined ? {} : { known: answerKeys(found.endpoint) }
  }

  protected override get failureContext(): CommandContext {
    const session = this.#session
    if (session === undefined) return super.failureContext
    return {
      ...super.failureContext,
      environment: session.environment.value,
      client: session.defaultClientId,
      key: session.keyInUse,
    }
  }

  protected override async prepare(): Promise<void> {
    await this.openSession()
    const { value: environment, mode, source } = this.session.environment
    if (source === 'emulator') {
      const elsewhere = variable(this.machine, 'BANKAPI_EMULATOR') !== undefined
      const where = elsewhere ? 'is in BANKAPI_EMULATOR' : 'runs here'
      this.note(`${environment}: an emulator ${where}, and nothing else is configured`)
    }
    if (mode === 'live' && this.terminal.stderr.isTTY && !this.quiet) {
      const { stderr, errorColor } = this.terminal
      const paint = await loadPaint(errorColor, 'stderr')
      const name = environment === mode ? mode : `${environment} (${mode})`
      stderr.write(`${paint('warn', `${name}: this acts on real data`)}\n`)
    }
  }

  /** As the service sees this program. */
  protected get userAgent(): string {
    return `${this.config.name}/${this.config.version} node/${process.versions.node} ${process.platform}`
  }

  /** @throws ConfigError when settings or the environment's name are unusable. */
  protected async openSession(flags: SessionFlags = this.flags): Promise<Session> {
    this.#session = await Session.open({
      machine: this.machine,
      keychainProgram: programFile(this.config.root, 'secrets/keychain-process'),
      userAgent: this.userAgent,
      flags,
      prefersEmulator: this.prefersEmulator,
      onWarning: this.warning,
      onWait: (wait) => {
        this.onWait?.(wait)
        if (wait.delayMs >= 1000) this.tellWait(wait)
      },
      onDebug: (line) => this.tell(line),
    })
    return this.#session
  }

  protected tellWait({ reason, delayMs, operation }: Wait): void {
    this.note(`${operation}: ${reason.replaceAll('_', ' ')}, trying again in ${Math.ceil(delayMs / 1000)} s`)
  }

  protected override now(): number {
    return this.#session?.serviceClock.now() ?? super.now()
  }

  protected override preference(name: string): string | boolean | undefined {
    return this.#session?.settings.get(name)
  }

  protected override async close(): Promise<void> {
    await this.#journal?.close()
    await this.#session?.close()
  }
}
