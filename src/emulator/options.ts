/** Options of an emulator with their defaults, and the data file they name. */
import { chmodSync, closeSync, lstatSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import type { CrowdSize } from './catalog/crowd-model.ts'
import type { BudgetScope, Settings } from './engine/engine.ts'
import { minute, second } from './engine/schedule.ts'
import type { LoggedRequest } from './log/request-log.ts'

/** All durations in milliseconds. */
export interface EmulatorOptions {
  /** Of the sandbox base; 0 picks a free one. 4010 by default. */
  readonly port?: number
  /** Of the live base. 4011 by default. */
  readonly livePort?: number
  /** 127.0.0.1 by default. Bound wider, names that the public DNS cannot have and IP addresses are answered, too. */
  readonly host?: string
  /** The name or address that links begin with, and that is answered besides; by default that of loopback. */
  readonly publicHost?: string
  /** The folder the data is kept in; without it, or with `memory`, nothing is kept. */
  readonly dataDir?: string
  readonly memory?: boolean
  /**
   * Ids and made-up data follow from it, and so do keys, signing secrets and tokens, which are random without one. 1 for the
   * data by default; data that is there keeps its own.
   */
  readonly seed?: number
  /** Adds a crowd of Clients for load tests when the data is first made. Seconds for a million transactions. */
  readonly crowd?: CrowdSize
  /** From the widget URL to the user finishing it without help; without it the user has to. */
  readonly autoLinkMs?: number
  /** Added to the time of every response. */
  readonly latencyMs?: number
  /** Requests of one key in a minute; without it there is no limit. */
  readonly rateLimit?: number
  /** Refreshes in a day. 100 by default. */
  readonly refreshBudget?: number
  /** Whose the budget is: each Connection's, by default, or that of all Connections of a customer together. */
  readonly refreshBudgetScope?: BudgetScope
  readonly refreshDurationMs?: number
  readonly refreshTimeoutMs?: number
  /** From the widget URL to the first signal. */
  readonly firstSignalMs?: number
  /** From the link to the change of status that its institution's behaviour has. */
  readonly afterLinkingMs?: number
  /** From a failed delivery to its first retry; each later one waits twice as long. */
  readonly retryMs?: number
  /** The time in which a receiver has to answer, on the wall clock. */
  readonly deliveryTimeoutMs?: number
  /** Real time does not pass: the clock stands at this moment (ISO) until it is advanced. */
  readonly frozenAt?: string
  /** Checks every success body against the contract before it is sent. For tests. */
  readonly strict?: boolean
  readonly onLog?: (line: string) => void
  /** Called for each request that was answered, within a tenth of a second. */
  readonly onRequest?: (request: LoggedRequest) => void
}

/** The settings of the engine. */
export function settingsOf(options: EmulatorOptions): Settings {
  return {
    widgetMs: 100,
    firstSignalMs: options.firstSignalMs ?? 500,
    autoLinkMs: options.autoLinkMs,
    afterLinkingMs: options.afterLinkingMs ?? second,
    refreshDurationMs: options.refreshDurationMs ?? second,
    refreshTimeoutMs: options.refreshTimeoutMs ?? 10 * minute,
    refreshBudget: options.refreshBudget ?? 100,
    refreshBudgetScope: options.refreshBudgetScope ?? 'connection',
    extractionMs: second,
    reportMs: second,
    retryMs: options.retryMs ?? 10 * second,
  }
}

/** The file the data is kept in; undefined: in memory. Folder and file are for the user alone, as it holds secrets. */
export function dataFileOf({ dataDir, memory }: EmulatorOptions): string | undefined {
  if (memory || dataDir === undefined) return undefined
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const file = join(dataDir, 'emulator.db')
  makePrivate(file)
  return file
}

/**
 * SQLite would create it under the umask, and would follow a link; the files it puts beside it get the same mode. One
 * that is there is not opened: closing it would drop the lock of an emulator in this process that has it open.
 */
function makePrivate(file: string): void {
  const found = lstatSync(file, { throwIfNoEntry: false })
  if (found === undefined) closeSync(openSync(file, 'wx', 0o600))
  else if (found.isSymbolicLink()) throw new Error(`${file} is a link; the emulator keeps no data there`)
  chmodSync(file, 0o600)
}
