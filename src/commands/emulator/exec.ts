import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BaseCommand } from '../../cli/command/base-command.ts'
import { InterruptedError, systemMessage, UsageError } from '../../cli/errors/errors.ts'
import type { Emulator } from '../../emulator/start.ts'
import { ensurePrivateFolder } from '../../machine/private-folder.ts'
import { type Child, startChild } from './_child.ts'
import { announceEmulator } from './_running-emulator.ts'
import { behaviourFlags, startWith } from './_start-options.ts'

/** Variables that change how output looks, not what is read. */
const variablesOfOutput = new Set(['BANKAPI_DEBUG', 'BANKAPI_PAGER'])

/** Signals that are not an order to end, to every program. */
const otherSignals = ['SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const

export default class EmulatorExec extends BaseCommand<typeof EmulatorExec, void> {
  static override summary = 'Run a command with an emulator of its own around it'
  static override description =
    'Starts an emulator on free ports, with its data in memory, and ends it when the command has ended; exit code and terminal ' +
    'are those of the command, 128 and the number of the signal when one killed it. The command gets BANKAPI_ENV=local, ' +
    'BANKAPI_BASE_URL, BANKAPI_API_KEY, BANKAPI_CLIENT_ID and BANKAPI_PORTAL_SECRET, and folders of its own for settings and ' +
    'data (BANKAPI_CONFIG_DIR, BANKAPI_DATA_DIR), which are removed at the end. Other variables whose names begin with ' +
    'BANKAPI_ are not handed on, but BANKAPI_DEBUG and BANKAPI_PAGER: the settings, the inbox and an emulator of yours are ' +
    'not touched. `bankapi emulator advance`, `logs`, `webhooks listen` and so on work in it; `emulator stop` leaves it to ' +
    'exec. Signals are handed on. --debug prints each request.'
  static override usage = 'emulator exec [FLAGS] -- COMMAND [ARGUMENT...]'
  static override examples = [
    '<%= config.bin %> emulator exec -- npm test',
    '<%= config.bin %> emulator exec --auto-link 1s --debug -- npx vitest run test/banks.test.ts',
    "<%= config.bin %> emulator exec -- sh -c 'bankapi connections list && bankapi emulator advance 24h'",
    '<%= config.bin %> emulator exec -- env BANKAPI_WEBHOOK_SECRET=whsec_test npm test',
  ]
  static override strict = false
  static override flags = behaviourFlags

  #child: Child | undefined
  #quit = false

  /** The command decides what a second Ctrl-C means. */
  protected override readonly onSecondSignal = (name: NodeJS.Signals): void => this.#child?.handOn(name)

  readonly #onOtherSignal = (name: NodeJS.Signals): void => {
    if (this.#child !== undefined) this.#child.handOn(name)
    else this.#quit ||= name === 'SIGQUIT'
  }

  protected override async execute(): Promise<void> {
    const [command, ...args] = this.#commandLine()
    // Whoever reads stderr may go away: the command goes on, and what has to be removed is removed.
    process.on('SIGPIPE', goOn)
    // Without a listener the first and the last end this process, and at SIGUSR1 Node waits for a debugger.
    for (const name of otherSignals) process.on(name, this.#onOtherSignal)
    try {
      const folder = temporaryFolder()
      try {
        await this.#withEmulator(command, args, folder)
      } finally {
        rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
      }
    } finally {
      for (const name of otherSignals) process.off(name, this.#onOtherSignal)
      process.off('SIGPIPE', goOn)
    }
  }

  async #withEmulator(command: string, args: readonly string[], folder: string): Promise<void> {
    const place = { port: 0, livePort: 0, memory: true }
    const emulator = await startWith(this.flags, place, (line) => this.tell(line))
    try {
      const env = await this.#environment(emulator, folder)
      this.signal.throwIfAborted()
      if (this.#quit) throw new InterruptedError('SIGQUIT')
      process.exitCode = await this.#run(command, args, env)
    } finally {
      await emulator.stop()
    }
  }

  /** What follows `--`. */
  #commandLine(): [string, ...string[]] {
    const at = this.argv.indexOf('--')
    const [command, ...args] = at === -1 ? [] : this.argv.slice(at + 1)
    if (at > -1 && command !== undefined) return [command, ...args]
    throw new UsageError('Which command?', {
      code: 'command_missing',
      hint: 'Write it after --: bankapi emulator exec -- npm test',
    })
  }

  /** The variables of the command, in whose folders the emulator is announced. */
  async #environment(
    { sandbox, live, controlUrl, consoleUrl }: Emulator,
    folder: string,
  ): Promise<NodeJS.ProcessEnv> {
    const folders = { BANKAPI_CONFIG_DIR: join(folder, 'config'), BANKAPI_DATA_DIR: join(folder, 'data') }
    const { machine } = this
    for (const one of Object.values(folders)) ensurePrivateFolder(machine, one)
    await announceEmulator(
      { ...machine, env: { ...machine.env, ...folders } },
      {
        pid: process.pid,
        ends_with_command: true,
        started_at: new Date(machine.now()).toISOString(),
        control_url: controlUrl,
        console_url: consoleUrl,
        sandbox,
        live,
      },
    )
    return {
      ...withoutOwnVariables(process.env),
      ...folders,
      BANKAPI_ENV: 'local',
      BANKAPI_BASE_URL: sandbox.base_url,
      BANKAPI_API_KEY: sandbox.api_key,
      BANKAPI_CLIENT_ID: 'cli_demo',
      BANKAPI_PORTAL_SECRET: sandbox.portal_secret,
    }
  }

  async #run(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
    const child = startChild(command, args, env)
    this.#child = child
    const { signal } = this
    const handOn = () => {
      if (signal.reason instanceof InterruptedError) child.handOn(signal.reason.signalName as NodeJS.Signals)
    }
    signal.addEventListener('abort', handOn, { once: true })
    try {
      return await child.ended
    } finally {
      signal.removeEventListener('abort', handOn)
    }
  }
}

function goOn(): void {}

/** @throws UsageError when there is no place for temporary files. */
function temporaryFolder(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'bankapi-exec-'))
  } catch (error) {
    throw new UsageError(`No folder can be made in ${tmpdir()}: ${systemMessage(error)}`, {
      code: 'not_writable',
      hint: 'Set TMPDIR to a folder that is there and that you may write to',
    })
  }
}

/** Without what says where the user's service, settings, inbox and mirror are; Windows ignores the case of names. */
function withoutOwnVariables(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const isHandedOn = (name: string) => !name.startsWith('BANKAPI_') || variablesOfOutput.has(name)
  return Object.fromEntries(Object.entries(env).filter(([name]) => isHandedOn(name.toUpperCase())))
}
