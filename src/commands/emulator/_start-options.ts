/** What commands that start an emulator share: its flags, what it prints about itself, and why it could not start. */
import { isIP } from 'node:net'
import { Flags, type Interfaces } from '@oclif/core'
import { duration } from '../../cli/command/flags.ts'
import { UsageError } from '../../cli/errors/errors.ts'
import { isThisMachine } from '../../config/base-url.ts'
import type { CrowdSize } from '../../emulator/catalog/crowd-model.ts'
import type { EmulatorOptions } from '../../emulator/options.ts'
import type { Emulator } from '../../emulator/start.ts'
import { requestText } from './_request-text.ts'

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

export const addressFlag = Flags.custom<string>({
  helpValue: 'ADDRESS',
  parse: async (text) => {
    if (text === 'localhost' || isIP(text) !== 0) return text
    throw new UsageError(`"${text}" is not an IP address`, {
      hint: 'Write it like 127.0.0.1, or 0.0.0.0 for every address of this machine',
    })
  },
})

export const hostNameFlag = Flags.custom<string>({
  helpValue: 'NAME',
  parse: async (text) => {
    const url = URL.parse(urlOf(text))
    if (url !== null && url.href === `http://${url.hostname}/`) return url.hostname
    throw new UsageError(`"${text}" is not the name of a host`, {
      hint: 'Write it like emulator or 192.0.2.1, without a port',
    })
  },
})

/** Whether others than this machine can reach what listens at the address. */
export function isWide(address: string): boolean {
  return !isThisMachine(new URL(urlOf(address)))
}

/** A URL with this host. */
function urlOf(address: string): string {
  return `http://${isIP(address) === 6 ? `[${address}]` : address}/`
}

/** A link of an emulator that listens at the address, as this machine reaches it: its public host may lead elsewhere. */
export function addressHere(link: string, address: string): string {
  const url = new URL(link)
  url.hostname =
    address === '0.0.0.0' ? '127.0.0.1' : address === '::' ? '[::1]' : new URL(urlOf(address)).hostname
  return url.href
}

/** How the emulator behaves, wherever it runs. */
export const behaviourFlags = {
  seed: Flags.integer({
    summary: 'Ids, keys, secrets and made-up data follow from it (default: random keys and secrets)',
    min: 0,
  }),
  crowd: crowdFlag({ summary: 'So many more Clients, each with so many accounts and transactions' }),
  'auto-link': duration({ summary: 'The user finishes the widget by itself after this long' }),
  latency: Flags.integer({ summary: 'Every answer takes this much longer', helpValue: 'MS', min: 0 }),
  'rate-limit': Flags.integer({ summary: 'Requests of one key in a minute (default: no limit)', min: 1 }),
  'refresh-budget': Flags.integer({ summary: 'Refreshes in a day (default 100)', min: 0 }),
  'refresh-budget-scope': Flags.option({
    summary: 'Whose budget it is: of each Connection (default), or of all Connections of a customer',
    options: ['customer', 'connection'] as const,
  })(),
  'refresh-duration': duration({ summary: 'How long a refresh takes (default 1s)' }),
  'refresh-timeout': duration({ summary: 'When a refresh without an answer times out (default 10m)' }),
  'first-signal': duration({ summary: 'From the widget URL to requires_action (default 500ms)' }),
}

type Behaviour = Interfaces.InferredFlags<typeof behaviourFlags> & { readonly debug: boolean }
type Place = Pick<EmulatorOptions, 'port' | 'livePort' | 'dataDir' | 'memory' | 'host'> & {
  readonly publicHost?: string | undefined
}

/**
 * Starts it in this process. `note` prints a line to stderr: what failed in it, that its secrets are predictable, and with
 * --debug each request.
 * @throws UsageError when a port or the crowd is not possible.
 */
export async function startWith(
  flags: Behaviour,
  place: Place,
  note: (line: string) => void,
): Promise<Emulator> {
  const { startEmulator } = await import('../../emulator/start.ts')
  const options = {
    ...place,
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
    onLog: note,
    onRequest: flags.debug
      ? (request: Parameters<typeof requestText>[0]) => note(requestText(request))
      : undefined,
  }
  const emulator = await startEmulator(given(options)).catch((error: unknown) => {
    throw startError(error)
  })
  if (emulator.predictable) {
    note(`Made with seed ${emulator.seed}: its keys, signing secrets and tokens are predictable.`)
  }
  return emulator
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
  const { code, port, address } = error as NodeJS.ErrnoException & { port?: number; address?: string }
  if (code === 'EADDRNOTAVAIL') {
    return new UsageError(`${address} is no address of this machine`, {
      code: 'address_unavailable',
      hint: 'Give one of its own with --host; 0.0.0.0 stands for all of them',
    })
  }
  if (code !== 'EADDRINUSE' && code !== 'EACCES') return error
  return new UsageError(`Port ${port} is ${code === 'EACCES' ? 'not allowed to you' : 'in use'}`, {
    code: 'port_unavailable',
    hint: 'Choose others with --port and --live-port; 0 picks a free one',
  })
}
