import { Flags } from '@oclif/core'
import { BaseCommand } from '../../cli/command/base-command.ts'
import { UsageError } from '../../cli/errors/errors.ts'
import { untilStopped } from '../../cli/terminal/interrupt.ts'
import { openInBrowser } from '../../cli/terminal/open-in-browser.ts'
import type { Emulator } from '../../emulator/start.ts'
import { safeText } from '../../output/safe-text.ts'
import { startDetached } from './_detached.ts'
import { announceEmulator, emulatorFolder, runningEmulator } from './_running-emulator.ts'
import {
  addressFlag,
  addressHere,
  behaviourFlags,
  hostNameFlag,
  isWide,
  startWith,
} from './_start-options.ts'

export default class EmulatorStart extends BaseCommand<typeof EmulatorStart, void> {
  static override summary = 'Run the whole service on this machine'
  static override description =
    'Two bases, sandbox and live, with identical paths and separate data. While it runs, --env local finds it by itself: no ' +
    'login, no configuration. Data is kept between runs unless --memory. Try every rule with the institutions of ' +
    '`bankapi institutions sandbox --env local`; move its clock with `bankapi emulator advance`. ' +
    'The first line is the address of its console, for a browser: requests and deliveries as they come and go, the clock, and ' +
    'what can happen to a Connection; --open opens it. ' +
    'Ctrl-C ends it in order (exit code 0). For a test run, `bankapi emulator exec -- COMMAND` starts one around it. ' +
    '--debug prints each request that it answers.'
  static override examples = [
    '<%= config.bin %> emulator start',
    '<%= config.bin %> emulator start --memory --port 0 --live-port 0 --json',
    '<%= config.bin %> emulator start --open',
    '<%= config.bin %> emulator start --detach',
    '<%= config.bin %> emulator start --host 0.0.0.0 --public-host emulator',
    '<%= config.bin %> emulator start --memory --crowd 1000x5x200 --latency 100',
    '<%= config.bin %> emulator start --auto-link 2s --rate-limit 60 --refresh-budget 5',
    '<%= config.bin %> emulator start --refresh-budget 30 --refresh-budget-scope customer',
  ]
  static override flags = {
    port: Flags.integer({
      summary: 'Port of the sandbox base; 0 picks a free one',
      default: 4010,
      min: 0,
      max: 65_535,
    }),
    'live-port': Flags.integer({ summary: 'Port of the live base', default: 4011, min: 0, max: 65_535 }),
    host: addressFlag({
      summary:
        'Address to listen on; beyond this machine, as 0.0.0.0 in a container, whoever reaches it can use it',
      default: '127.0.0.1',
    }),
    'public-host': hostNameFlag({
      summary:
        'Name or address that its links begin with, for callers from elsewhere (default: that of this machine)',
    }),
    memory: Flags.boolean({ summary: 'Keep nothing' }),
    open: Flags.boolean({ summary: 'Open its console in the browser' }),
    ...behaviourFlags,
    detach: Flags.boolean({
      summary: 'Go on in the background once it is ready; bankapi emulator stop ends it',
    }),
  }

  protected override async execute(): Promise<void> {
    const { flags, machine } = this
    const other = await runningEmulator(machine)
    if (other !== undefined) {
      throw new UsageError(`An emulator runs already, process ${other.pid} at ${other.sandbox.base_url}`, {
        code: 'emulator_running',
        hint: 'Use it, stop it first, or give this one a data folder of its own with BANKAPI_DATA_DIR',
      })
    }
    if (isWide(flags.host)) {
      this.warning(
        `it listens on ${flags.host}: whoever reaches its ports can read and change everything in it, its keys included. ` +
          'Put no real data into it.',
      )
    }
    if (flags.detach) return this.#detach()
    const { port, 'live-port': livePort, host, 'public-host': publicHost } = flags
    const place = { port, livePort, host, publicHost }
    const dataDir = emulatorFolder(machine)
    const emulator = await startWith(
      flags,
      { ...place, ...(flags.memory ? { memory: true } : { dataDir }) },
      (line) => this.tell(line),
    )
    try {
      const here = (url: string) => addressHere(url, host)
      const { sandbox, live } = emulator
      const withdraw = await announceEmulator(machine, {
        pid: process.pid,
        started_at: new Date(machine.now()).toISOString(),
        sandbox: { ...sandbox, base_url: here(sandbox.base_url) },
        live: { ...live, base_url: here(live.base_url) },
        control_url: here(emulator.controlUrl),
        console_url: here(emulator.consoleUrl),
      })
      try {
        await this.#ready(
          process.pid,
          emulator,
          'In another terminal: bankapi connections list --client cli_demo --env local',
        )
        await untilStopped(this.signal, new Promise<never>(() => {}))
      } finally {
        await withdraw()
      }
    } finally {
      await emulator.stop()
    }
  }

  async #detach(): Promise<void> {
    if (this.flags.debug)
      this.note('In the background nothing is printed. Requests: bankapi emulator logs --follow')
    const argv = this.argv.filter((word) => !['--detach', '--debug', '--open'].includes(word))
    const started = await startDetached(this.machine, argv, this.signal)
    if (started.running === undefined) {
      this.terminal.stderr.write(started.stderr)
      process.exitCode = started.code
      return
    }
    const { pid, control_url: controlUrl, console_url: consoleUrl = '', ...bases } = started.running
    // stdout that cannot be written ends this process at once, and nobody was told that the emulator runs.
    const onExit = (code: number) => {
      if (code !== 0) process.kill(pid, 'SIGTERM')
    }
    process.once('exit', onExit)
    await this.#ready(pid, { ...bases, controlUrl, consoleUrl }, 'Stop it: bankapi emulator stop')
    process.off('exit', onExit)
  }

  async #ready(
    pid: number,
    {
      sandbox,
      live,
      controlUrl,
      consoleUrl,
    }: Pick<Emulator, 'sandbox' | 'live' | 'controlUrl' | 'consoleUrl'>,
    next: string,
  ): Promise<void> {
    const lines = [
      `Console: ${consoleUrl}`,
      `Ready: ${sandbox.base_url}`,
      `  sandbox key  ${sandbox.api_key}`,
      `  live base    ${live.base_url}`,
      `  live key     ${live.api_key}`,
      `  controls     ${controlUrl}`,
      '',
      next,
    ]
    const ready = { ready: true, pid, console_url: consoleUrl, sandbox, live }
    await this.print(
      this.format === undefined
        ? lines.map((line) => safeText(line)).join('\n')
        : `${JSON.stringify(ready)}\n`,
    )
    if (this.flags.open) openInBrowser(consoleUrl, this.machine, this.warning)
  }
}
