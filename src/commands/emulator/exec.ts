import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BaseCommand } from '../../cli/command/base-command.ts'
import { InterruptedError, UsageError } from '../../cli/errors/errors.ts'
import type { Emulator } from '../../emulator/start.ts'
import { type Child, startChild } from './_child.ts'
import { announceEmulator } from './_running-emulator.ts'
import { behaviourFlags, startWith } from './_start-options.ts'

export default class EmulatorExec extends BaseCommand<typeof EmulatorExec, void> {
  static override summary = 'Run a command with an emulator of its own around it'
  static override description =
    'Starts an emulator on free ports, with its data in memory, and ends it when the command has ended; exit code and terminal ' +
    'are those of the command, 128 and the number of the signal when one killed it. The command gets BANKAPI_ENV=local, ' +
    'BANKAPI_BASE_URL, BANKAPI_API_KEY, BANKAPI_CLIENT_ID and BANKAPI_PORTAL_SECRET, and folders of its own for settings and ' +
    'data (BANKAPI_CONFIG_DIR, BANKAPI_DATA_DIR), which are removed at the end: another emulator of this machine and its ' +
    'inbox are not touched. `bankapi emulator advance`, `logs`, `webhooks listen` and so on work in it. Signals are handed on. ' +
    '--debug prints each request.'
  static override usage = 'emulator exec [FLAGS] -- COMMAND [ARGUMENT...]'
  static override examples = [
    '<%= config.bin %> emulator exec -- npm test',
    '<%= config.bin %> emulator exec --auto-link 1s --debug -- npx vitest run test/banks.test.ts',
    "<%= config.bin %> emulator exec -- sh -c 'bankapi connections list && bankapi emulator advance 24h'",
  ]
  static override strict = false
  static override flags = behaviourFlags

  #child: Child | undefined

  /** The command decides what a second Ctrl-C means. */
  protected override readonly onSecondSignal = (name: NodeJS.Signals): void => this.#child?.handOn(name)

  protected override async execute(): Promise<void> {
    const [command, ...args] = this.#commandLine()
    // Whoever reads stderr may go away: the command goes on, and what has to be removed is removed.
    process.on('SIGPIPE', goOn)
    const folder = mkdtempSync(join(tmpdir(), 'bankapi-exec-'))
    try {
      const emulator = await startWith(this.flags, { port: 0, livePort: 0, memory: true }, (line) =>
        this.tell(line),
      )
      try {
        const env = await this.#environment(emulator, folder)
        this.signal.throwIfAborted()
        process.exitCode = await this.#run(command, args, env)
      } finally {
        await emulator.stop()
      }
    } finally {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
      process.off('SIGPIPE', goOn)
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
  async #environment({ sandbox, live, controlUrl }: Emulator, folder: string): Promise<NodeJS.ProcessEnv> {
    const folders = { BANKAPI_CONFIG_DIR: join(folder, 'config'), BANKAPI_DATA_DIR: join(folder, 'data') }
    const { machine } = this
    await announceEmulator(
      { ...machine, env: { ...machine.env, ...folders } },
      {
        pid: process.pid,
        started_at: new Date(machine.now()).toISOString(),
        control_url: controlUrl,
        sandbox,
        live,
      },
    )
    return {
      ...process.env,
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
