/** The base class of every command: parse, execute, render. `main` turns what it throws into a message and an exit code. */
import { Command, type Interfaces } from '@oclif/core'
import { exitCodes } from '../../errors.ts'
import { type Machine, machineOf, withoutSecrets } from '../../machine/machine.ts'
import { type DocumentFormat, formats, renderDocument } from '../../output/document.ts'
import { type Field, isObject } from '../../output/fields.ts'
import { loadPaint } from '../../output/palette.ts'
import type { Progress } from '../../output/progress.ts'
import { safeBlock } from '../../output/safe-text.ts'
import { writeText } from '../../output/sink.ts'
import { createView, type View } from '../../output/view.ts'
import { wrap } from '../../output/width.ts'
import { redacted } from '../../secrets/redaction.ts'
import { type CommandContext, FailedCommand, UsageError } from '../errors/errors.ts'
import { asInterruption, type Interrupt, interruptOf } from '../terminal/interrupt.ts'
import { type Terminal, terminalOf } from '../terminal/terminal.ts'
import { outputFlags } from './flags.ts'

type CommandClass = typeof Command
export type ArgsOf<T extends CommandClass> = Interfaces.InferredArgs<T['args']>
type OutputFlags = Interfaces.InferredFlags<typeof outputFlags>
/** The flags of a command: those of its base classes and its own. */
export type FlagsOf<
  T extends CommandClass,
  BaseFlags extends Interfaces.FlagInput = typeof outputFlags,
> = OutputFlags & Interfaces.InferredFlags<BaseFlags> & Interfaces.InferredFlags<T['flags']>

/** The columns that `--columns` may choose from. */
export interface Columns {
  readonly fields?: readonly Field<never>[]
  /** Further keys of the resource, from the contract. */
  readonly known?: readonly string[]
}

export abstract class BaseCommand<T extends CommandClass, Result = unknown> extends Command {
  static override baseFlags: Interfaces.FlagInput = outputFlags

  protected flags!: FlagsOf<T>
  protected args!: ArgsOf<T>
  protected readonly machine: Machine = machineOf(process)
  protected readonly terminal: Terminal = terminalOf(process)
  #interrupt: Interrupt | undefined
  #given: ReadonlySet<string> = new Set()

  /** Does the work and returns the data that `--json` prints; undefined prints nothing. */
  protected abstract execute(): Promise<Result>

  /** The data as text for people. It returns text and prints nothing. */
  protected view(data: Result, out: View): string {
    return typeof data === 'object' && data !== null ? out.record(data) : String(data ?? '')
  }

  /** The columns that `--columns` may name. */
  protected async columns(): Promise<Columns> {
    return {}
  }

  /** Runs after parsing and before `execute`. */
  protected async prepare(): Promise<void> {}

  /** Frees what the command holds. Runs after success and failure alike. */
  protected async close(): Promise<void> {}

  /** Called with the second signal and each later one; undefined where the second ends the process. */
  protected readonly onSecondSignal: ((name: NodeJS.Signals) => void) | undefined

  override async run(): Promise<void> {
    this.#interrupt = interruptOf(process, this.onSecondSignal)
    try {
      await this.#parse()
      await this.prepare()
      const result = await this.execute()
      await this.render(result)
    } catch (error) {
      throw new FailedCommand(
        this.#interrupt ? asInterruption(error, this.signal) : error,
        this.failureContext,
      )
    } finally {
      await this.close()
      this.#interrupt.dispose()
    }
  }

  /** The words of the command: `accounts list`. */
  protected get words(): string {
    return (this.id ?? '').replaceAll(':', ' ')
  }

  /** The facts that an error message may contain. */
  protected get failureContext(): CommandContext {
    return { program: this.config.userAgent, command: this.words, flags: this.flags, args: this.args }
  }

  /** Aborted by Ctrl-C or SIGTERM. */
  protected get signal(): AbortSignal {
    if (this.#interrupt === undefined) throw new Error('the command does not run')
    return this.#interrupt.signal
  }

  /** The format of stdout: what the flags say, `--jq` implying JSON; undefined is text for people. */
  protected get format(): DocumentFormat | undefined {
    const { json, jq, output }: OutputFlags = this.flags
    return json || (jq !== undefined && output === undefined) ? 'json' : output
  }

  /** The names after `--columns`; undefined without it. */
  protected get chosenColumns(): string[] | undefined {
    const { columns }: OutputFlags = this.flags
    return columns?.split(',')
  }

  /** Writes the result to stdout in the chosen format. */
  protected async render(result: Result): Promise<void> {
    if (result === undefined) return
    await this.print(await this.rendered(result))
    this.tellRest(result)
  }

  /** The result as text in the chosen format. @throws OutputError (exit 2) for a choice that it does not allow. */
  protected async rendered(result: Result): Promise<string> {
    const { format } = this
    return format === undefined ? this.view(result, await this.createView()) : this.#document(result, format)
  }

  /** Says of a list that was not shown to its end (`has_more`), in every format, with or without a terminal, how to read on. */
  protected tellRest(result: unknown): void {
    if (isObject(result) && result['has_more'] === true) this.note(this.restOf(result))
  }

  protected restOf(_list: Readonly<Record<string, unknown>>): string {
    return 'There is more: a larger --limit'
  }

  /** Whether times for people are in UTC. */
  protected get utc(): boolean {
    const { utc }: OutputFlags = this.flags
    return utc ?? this.preference('output.utc') === true
  }

  /** Unix ms, by which ages are told. */
  protected now(): number {
    return Date.now()
  }

  protected async createView(): Promise<View> {
    const { stdout, width, color } = this.terminal
    const columns = this.chosenColumns
    return createView({
      width,
      paint: await loadPaint(color, 'stdout'),
      tty: Boolean(stdout.isTTY),
      utc: this.utc,
      now: () => this.now(),
      ...(columns === undefined ? {} : { columns, known: (await this.columns()).known ?? [] }),
    })
  }

  /**
   * Writes text to stdout, with a newline at its end; longer than the terminal, text for people goes through a pager.
   * @returns false when the reader had gone
   */
  protected async print(text: string): Promise<boolean> {
    if (text === '') return true
    const { stdout, width } = this.terminal
    const whole = text.endsWith('\n') ? text : `${text}\n`
    if (!stdout.isTTY || this.format !== undefined) {
      return writeText(stdout, whole)
    }
    const { writePaged } = await import('../../output/pager.ts')
    await writePaged(whole, {
      stdout,
      height: stdout.rows ?? 0,
      width,
      command: this.preference('pager'),
      env: withoutSecrets(this.machine.env),
    })
    return true
  }

  /** A setting that applies to every command; undefined where settings are not read. */
  protected preference(_name: string): string | boolean | undefined {
    return undefined
  }

  /** `--quiet`: stderr has warnings, errors and questions only. */
  protected get quiet(): boolean {
    const { quiet }: OutputFlags = this.flags
    return quiet
  }

  /** Writes a sentence for people to stderr, which `--quiet` leaves out: a hint, what goes on, what was done. */
  protected note(sentence: string): void {
    if (!this.quiet) this.tell(sentence)
  }

  /** Writes a sentence for people to stderr, also with `--quiet`: what a question is about, what was asked for. */
  protected tell(sentence: string): void {
    const { stderr } = this.terminal
    const text = redacted(safeBlock(sentence))
    stderr.write(`${stderr.isTTY ? wrap(text, stderr.columns || 80) : text}\n`)
  }

  /** Masks the secrets that were looked up. */
  protected readonly redacted = redacted

  /** An arrow function, so that it can be passed as a callback. */
  protected readonly warning = (sentence: string): void => {
    this.tell(`Warning: ${sentence}`)
  }

  /** A progress line on stderr, where that is a terminal; with `--quiet` none. */
  protected async createProgress(): Promise<Progress> {
    const [{ createProgress }, paint] = await Promise.all([
      import('../../output/progress.ts'),
      loadPaint(this.terminal.errorColor, 'stderr'),
    ])
    const { stderr } = this.terminal
    return createProgress(stderr, {
      tty: Boolean(stderr.isTTY) && !this.quiet,
      width: () => stderr.columns ?? 80,
      paint,
    })
  }

  /**
   * Asks before something that deletes, revokes, overwrites or may bill; `--yes` answers it.
   * @throws UsageError when nobody can be asked or the answer is no. Nothing is done then.
   */
  protected async confirm(question: string): Promise<void> {
    if ('yes' in this.flags && this.flags['yes']) return
    if (!this.terminal.interactive) {
      throw new UsageError(`Not done: ${question}`, {
        code: 'confirmation_missing',
        hint: 'Without a terminal to ask on, confirm with --yes',
      })
    }
    const { confirm } = await import('@inquirer/prompts')
    const { stdin, stderr } = this.terminal
    const agreed = await confirm(
      { message: question, default: false },
      { input: stdin, output: stderr, signal: this.signal, clearPromptOnDone: false },
    )
    if (!agreed) throw new UsageError('Not done', { code: 'declined' })
  }

  /** Sets a documented exit code and prints nothing. */
  protected leaveWith(name: keyof typeof exitCodes): void {
    process.exitCode = exitCodes[name].code
  }

  /** Answers `--columns` without a value: the names it takes, one per line. Nothing is parsed or sent. */
  async listColumns(): Promise<void> {
    const { fields = [], known = [] } = await this.columns()
    const names = [...new Set([...fields.map(({ key }) => key), ...known])]
    if (names.length === 0) {
      throw new UsageError(`--columns needs a value: the columns of ${this.words} are those of its answer`, {
        hint: `See its keys: bankapi ${this.words} … --json`,
      })
    }
    this.terminal.stdout.write(`${names.join('\n')}\n`)
  }

  /** Whether one of the flags was given, and is not there by its default. */
  protected isGiven(...names: readonly string[]): boolean {
    return names.some((name) => this.#given.has(name))
  }

  async #parse(): Promise<void> {
    const { flags, args, metadata } = await this.parse(this.ctor)
    this.flags = flags as typeof this.flags
    this.args = args as typeof this.args
    this.#given = new Set(Object.keys(flags).filter((name) => metadata.flags[name]?.setFromDefault !== true))
    this.#refuseEmpty()
  }

  /** @throws UsageError for a flag that names a file or an id and is empty, as when a variable of a script is not set. */
  #refuseEmpty(): void {
    for (const [name, definition] of Object.entries({ ...this.ctor.baseFlags, ...this.ctor.flags })) {
      if (definition.type !== 'option' || !/FILE|DIR|…/.test(definition.helpValue?.toString() ?? '')) continue
      const value: unknown = (this.flags as Readonly<Record<string, unknown>>)[name]
      if (![value].flat().includes('')) continue
      throw new UsageError(`--${name} is empty`, {
        code: 'empty_value',
        hint: `Give it a value, or leave out --${name}`,
      })
    }
  }

  async #document(result: Result, format: DocumentFormat): Promise<string> {
    const { jq }: OutputFlags = this.flags
    const columns = this.chosenColumns
    return renderDocument(result, {
      format,
      jq,
      columns,
      terminal: Boolean(this.terminal.stdout.isTTY),
      // Only a header and chosen columns need to know which there are, and the answer can take the whole contract.
      ...(columns !== undefined || formats[format].header ? await this.columns() : {}),
    })
  }
}
