import { Flags } from '@oclif/core'
import { BaseCommand } from '../../cli/command/base-command.ts'
import { duration } from '../../cli/command/flags.ts'
import { UsageError } from '../../cli/errors/errors.ts'
import { untilStopped } from '../../cli/terminal/interrupt.ts'
import type { CrowdSize } from '../../emulator/catalog/crowd-model.ts'
import type { Emulator } from '../../emulator/start.ts'
import { safeText } from '../../output/safe-text.ts'
import { announceEmulator, emulatorFolder, runningEmulator } from './_running-emulator.ts'

const crowdFlag = Flags.custom<CrowdSize>({
  helpValue: 'CLIENTSxACCOUNTSxTRANSACTIONS',
  parse: async (text) => {
    const [, clients, accounts, transactions] = /^(\d{1,7})x(\d{1,2})x(\d{1,6})$/.exec(text) ?? []
    if (clients !== undefined && Number(accounts) > 0) {
      return {
        clients: Number(clients),
        accounts: Number(accounts),
        transactions: Number(transactions),
      }
    }
    throw new UsageError(`"${text}" is not a crowd`, {
      hint: 'Write it like 1000x5x200: Clients, accounts of each (1 to 99), transactions of each account',
    })
  },
})

export default class EmulatorStart extends BaseCommand<typeof EmulatorStart, void> {
  static override summary = 'Run the whole service on this machine'
  static override description =
    'Two bases, sandbox and live, with identical paths and separate data. While it runs, --env local finds it by itself: no ' +
    'login, no configuration. Data is kept between runs unless --memory. Try every rule with the institutions of ' +
    '`bankapi institutions sandbox --env local`; move its clock with `bankapi emulator advance`. ' +
    'Ctrl-C ends it in order (exit code 0).'
  static override examples = [
    '<%= config.bin %> emulator start',
    '<%= config.bin %> emulator start --memory --port 0 --live-port 0 --json',
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
    memory: Flags.boolean({ summary: 'Keep nothing' }),
    seed: Flags.integer({
      summary: 'Ids, keys, secrets and made-up data follow from it (default: random keys and secrets)',
      min: 0,
    }),
    crowd: crowdFlag({ summary: 'So many more Clients, each with so many accounts and transactions' }),
    'auto-link': duration({ summary: 'The user finishes the widget by itself after this long' }),
    latency: Flags.integer({ summary: 'Every answer takes this much longer', helpValue: 'MS', min: 0 }),
    'rate-limit': Flags.integer({ summary: 'Requests of one key in a minute (default: no limit)', min: 1 }),
    'refresh-budget': Flags.integer({
      summary: 'Refreshes in a day (default 100)',
      min: 0,
    }),
    'refresh-budget-scope': Flags.option({
      summary: 'Whose budget it is: of each Connection (default), or of all Connections of a customer',
      options: ['customer', 'connection'] as const,
    })(),
    'refresh-duration': duration({ summary: 'How long a refresh takes (default 1s)' }),
    'refresh-timeout': duration({ summary: 'When a refresh without an answer times out (default 10m)' }),
    'first-signal': duration({ summary: 'From the widget URL to requires_action (default 500ms)' }),
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
    const folder = emulatorFolder(machine)
    const { startEmulator } = await import('../../emulator/start.ts')
    const options = {
      port: flags.port,
      livePort: flags['live-port'],
      ...(flags.memory ? { memory: true } : { dataDir: folder }),
      seed: flags.seed,
      crowd: flags.crowd,
      autoLinkMs: flags['auto-link'],
      latencyMs: flags.latency,
      rateLimit: flags['rate-limit'],
      refreshBudget: flags['refresh-budget'],
      refreshBudgetScope: flags['refresh-budget-scope'],
      refreshDurationMs: flags['refresh-duration'],
      refreshTimeoutMs: flags['refresh-timeout'],
      firstSignalMs: flags['first-signal'],
      onLog: (line: string) => this.tell(line),
    }
    const emulator = await startEmulator(given(options)).catch((error: unknown) => {
      throw startError(error)
    })
    if (emulator.predictable) {
      this.tell(`Made with seed ${emulator.seed}: its keys, signing secrets and tokens are predictable.`)
    }
    try {
      const withdraw = await announceEmulator(machine, {
        pid: process.pid,
        started_at: new Date(machine.now()).toISOString(),
        sandbox: emulator.sandbox,
        live: emulator.live,
        control_url: emulator.controlUrl,
      })
      try {
        await this.print(
          this.format === undefined ? readyText(emulator) : `${JSON.stringify(readyLine(emulator))}\n`,
        )
        await untilStopped(this.signal, new Promise<never>(() => {}))
      } finally {
        await withdraw()
      }
    } finally {
      await emulator.stop()
    }
  }
}

function readyLine({ sandbox, live }: Emulator): object {
  return { ready: true, pid: process.pid, sandbox, live }
}

function readyText({ sandbox, live, controlUrl }: Emulator): string {
  return [
    `Ready: ${sandbox.base_url}`,
    `  sandbox key  ${sandbox.api_key}`,
    `  live base    ${live.base_url}`,
    `  live key     ${live.api_key}`,
    `  controls     ${controlUrl}`,
    '',
    'In another terminal: bankapi connections list --client cli_demo --env local',
  ]
    .map((line) => safeText(line))
    .join('\n')
}

type Given<T> = { [K in keyof T]: Exclude<T[K], undefined> }

/** Leaves out undefined values, so that the emulator's own defaults apply. */
function given<T extends object>(options: T): Partial<Given<T>> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Partial<
    Given<T>
  >
}

function startError(error: unknown): unknown {
  if (error instanceof RangeError) {
    return new UsageError(error.message, {
      code: 'crowd_not_possible',
      hint: 'Data that is there keeps its crowd. Use --memory, or another data folder: BANKAPI_DATA_DIR',
    })
  }
  const { code, port } = error as NodeJS.ErrnoException & { port?: number }
  if (code !== 'EADDRINUSE' && code !== 'EACCES') return error
  return new UsageError(`Port ${port} is ${code === 'EACCES' ? 'not allowed to you' : 'in use'}`, {
    code: 'port_unavailable',
    hint: 'Choose others with --port and --live-port; 0 picks a free one',
  })
}
