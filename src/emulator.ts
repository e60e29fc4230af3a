/**
 * Starts the service for the tests of a program that calls it: `import { startEmulator } from 'bankapi/emulator'`.
 *
 *     const emulator = await startEmulator()
 *     const answer = await fetch(`${emulator.baseUrl}/clients`, {
 *       headers: { Authorization: `Bearer ${emulator.apiKey}` },
 *     })
 *     await emulator.advance('24h')
 *     await emulator.stop()
 *
 * Every emulator has a free port of its own and keeps its data in memory, so that tests can run side by side.
 */
import { parseDuration } from './cli/command/duration.ts'
import { TriggerOrder } from './emulator/control/trigger-order.ts'
import { startEmulator as start } from './emulator/start.ts'

/** Durations are text: `90s`, `5m`, `24h`, `1h30m`. */
export interface StartOptions {
  /** The port of the sandbox base; a free one unless given. */
  readonly port?: number
  /**
   * Ids and made-up data follow from it; 1 unless given. Only a seed that is given makes keys, signing secrets and tokens
   * follow from it, too: they are random otherwise.
   */
  readonly seed?: number
  /** The clock stands at this moment (ISO-8601) until it is advanced; it runs with the wall clock unless given. */
  readonly frozenAt?: string
  /** From the widget URL to the user finishing it without help; without it a test calls `link`. */
  readonly autoLink?: string
  /** How long a refresh takes; one second unless given. */
  readonly refreshDuration?: string
  /** Requests of one key in a minute; without it there is no limit. */
  readonly rateLimit?: number
  /** Refreshes in a day; 100 unless given. */
  readonly refreshBudget?: number
  /** Whose the budget is: each Connection's, unless given, or that of all Connections of a customer together. */
  readonly refreshBudgetScope?: 'connection' | 'customer'
  /** Every answer takes this much longer. */
  readonly latency?: string
  /** So many more Clients, each with so many accounts, each with so many transactions. */
  readonly crowd?: { readonly clients: number; readonly accounts: number; readonly transactions: number }
}

/** Where an environment is reached, and what it accepts. */
export interface EmulatorEnvironment {
  /** Ends in `/v3`. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly portalSecret: string
}

/** A running emulator. Its own address and keys are those of the sandbox. */
export interface Emulator extends EmulatorEnvironment {
  /** The same paths with live keys; the data of the two never mixes. */
  readonly live: EmulatorEnvironment
  /** Moves the clock on and runs what falls due on the way: refreshes, deliveries and their retries, expiries. */
  advance(duration: string): Promise<void>
  /**
   * The user finishes the widget of a Connection. Takes the placeholder id, or for FDE the canonical one.
   * @returns the canonical id
   */
  link(connectionId: string): string
  /** The bank of an account in the sandbox: makes it do what banks do to an account and its transactions. */
  bank(accountId: string): Bank
  /**
   * The user links the bank of a Connection once more: the same accounts and transactions are there under new ids. The old
   * Connection is disconnected, or keeps its status with `keepOld`; nothing new is reported there.
   * @returns the new Connection's id
   */
  relink(connectionId: string, how?: RelinkOptions): string
  /** A change of state with its event: the changes of `bankapi emulator trigger`. Throws when it is none. */
  trigger(change: Trigger): void
  readonly faults: Faults
  /** Every cursor made until now is refused as one of another query: `400 invalid_request`. */
  refuseCursors(): void
  /** Resolves when no job is due and no delivery is under way. */
  settled(): Promise<void>
  /** Makes the data of the start again. */
  reset(): Promise<void>
  stop(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** What a transaction says. */
export interface TransactionFields {
  /** Money out is negative. */
  readonly amount?: number
  /** YYYY-MM-DD. */
  readonly date?: string
  readonly description?: string
  readonly merchant_name?: string
  readonly category?: string
}

export interface Quiet {
  /** The account's `updated_at` and balance do not show that anything changed. */
  readonly quiet?: boolean
}

export interface Manner extends Quiet {
  /** The transaction is not recorded again: it stays at its place in the list instead of moving to the front. */
  readonly keepsPlace?: boolean
}

/**
 * What a bank does to one account, at once and in the order of the calls. A method that changes a charge takes the oldest
 * pending one unless its id is given. All of them throw when there is no such row.
 */
export interface Bank {
  /** A new transaction. With the `id` of another account's, the bank gives an id twice. Returns the id. */
  record(
    transaction: TransactionFields &
      Quiet & { readonly amount: number; readonly pending?: boolean; readonly id?: string },
  ): string
  /** A pending charge settles under its id, which is returned. */
  settle(transactionId?: string, as?: TransactionFields & Manner): string
  /**
   * A pending charge is dropped, and a settled one appears with its own id, `external_id`, text and date: at the same time,
   * or so long before (`overlap`) or after it (`gap`). `tip`: at 100 to 130 % of the amount; `fuel`: at any amount. Returns
   * the new id.
   */
  reissue(
    transactionId?: string,
    as?: TransactionFields &
      Quiet & { readonly as?: 'same' | 'tip' | 'fuel'; readonly overlap?: string; readonly gap?: string },
  ): string
  /** A pending charge is dropped for good. Returns its id. */
  drop(transactionId?: string, how?: Quiet): string
  /** A transaction says something else. */
  edit(transactionId: string, fields: TransactionFields & Manner): void
  /** A transaction is taken back: it is in no list, and `404`. */
  retract(transactionId: string, how?: Quiet): void
  /** A transaction is in no list, and still reads by its id. */
  unlist(transactionId: string, how?: Quiet): void
  /** A transaction that was taken back or left out of the lists is there again. */
  restore(transactionId: string, how?: Manner): void
  /** A transaction belongs to another account of the Client from now on. */
  move(transactionId: string, toAccountId: string, how?: Quiet): void
  /** The `count` longest recorded transactions are recorded again, as they are. Returns how many there were. */
  rerecord(count: number, how?: Quiet): number
  /** So many older days are reported; 31 unless given. */
  backfill(days?: number, how?: Quiet): void
  /** The account goes away: it and what belongs to it are in no list, and `404`. */
  close(): void
  /** It comes back as it was. */
  reopen(): void
}

export interface RelinkOptions {
  /** The new Connection's history begins so many days ago; it is as long as the old one's unless given. */
  readonly days?: number
  readonly keepOld?: boolean
}

/** The `type` of the change, the Connection, and what else the change takes, as `--set` of the command does. */
export interface Trigger {
  readonly type: string
  readonly connection?: string
  readonly [field: string]: string | undefined
}

export interface Faults {
  /**
   * Orders a fault for the requests that fit a pattern, a method and a path such as `GET /clients/**`, or for deliveries,
   * `DELIVERY connection.*`: `*` stands for one segment, `**` for any.
   */
  add(fault: Fault): void
  /** Ends all of them. */
  clear(): void
}

export interface Fault {
  readonly pattern: string
  /** Answer this status. */
  readonly status?: number
  /** The `Retry-After` of a 429 or 5xx, in seconds. */
  readonly retryAfter?: number
  /** Wait so long first. */
  readonly delay?: string
  /** Close the connection without an answer. */
  readonly drop?: boolean
  /** Send half of the body. */
  readonly truncate?: boolean
  /** Refuse the cursor of a request that has one. */
  readonly refuseCursor?: boolean
  /** Let so many requests that fit through first. */
  readonly after?: number
  /** Apply so many times; always unless given. */
  readonly times?: number
  /** Called when it applies, before the answer: to change something, or to end a program, between two requests. */
  readonly meanwhile?: () => void
}

/** Starts an emulator. Rejects when its port is taken, or when a duration is not one. */
export async function startEmulator(options: StartOptions = {}): Promise<Emulator> {
  const { port = 0, autoLink, refreshDuration, latency, ...same } = options
  const emulator = await start({
    ...same,
    port,
    livePort: 0,
    memory: true,
    ...(autoLink === undefined ? {} : { autoLinkMs: parseDuration(autoLink) }),
    ...(refreshDuration === undefined ? {} : { refreshDurationMs: parseDuration(refreshDuration) }),
    ...(latency === undefined ? {} : { latencyMs: parseDuration(latency) }),
  })
  return {
    ...environmentOf(emulator.sandbox),
    live: environmentOf(emulator.live),
    async advance(duration) {
      await emulator.advance(parseDuration(duration))
    },
    link: (connectionId) => emulator.link(connectionId).connection_id,
    bank: (accountId) => bankOf(emulator, accountId),
    relink: (connectionId, { keepOld, ...how } = {}) =>
      emulator.relink(connectionId, { ...how, ...(keepOld === undefined ? {} : { keep_old: keepOld }) }),
    trigger(change) {
      emulator.trigger(TriggerOrder.parse(change))
    },
    faults: {
      add: (fault) => void emulator.faults.add(faultOrder(fault)),
      clear: () => void emulator.faults.clear(),
    },
    refuseCursors: () => emulator.refuseCursors(),
    settled: () => emulator.settled(),
    reset: () => emulator.reset(),
    stop: () => emulator.stop(),
    [Symbol.asyncDispose]: () => emulator.stop(),
  }
}

type Started = Awaited<ReturnType<typeof start>>
type BaseAccess = Started['sandbox']

function bankOf(emulator: Started, accountId: string): Bank {
  const bank = emulator.bank(accountId)
  return {
    ...bank,
    settle: (id, as) => bank.settle(id, mannered(as)),
    edit: (id, fields) => bank.edit(id, mannered(fields)),
    restore: (id, how) => bank.restore(id, mannered(how)),
    reissue: (id, { overlap, gap, ...as } = {}) =>
      bank.reissue(id, {
        ...as,
        ...(overlap === undefined ? {} : { overlap_ms: parseDuration(overlap) }),
        ...(gap === undefined ? {} : { gap_ms: parseDuration(gap) }),
      }),
  }
}

function mannered({ keepsPlace, ...fields }: TransactionFields & Manner = {}) {
  return { ...fields, ...(keepsPlace === undefined ? {} : { keeps_place: keepsPlace }) }
}

function faultOrder({ delay, retryAfter, refuseCursor, ...same }: Fault) {
  return {
    ...same,
    ...(delay === undefined ? {} : { delay_ms: parseDuration(delay) }),
    ...(retryAfter === undefined ? {} : { retry_after: retryAfter }),
    ...(refuseCursor === undefined ? {} : { refuse_cursor: refuseCursor }),
  }
}

function environmentOf({ base_url, api_key, portal_secret }: BaseAccess): EmulatorEnvironment {
  return { baseUrl: base_url, apiKey: api_key, portalSecret: portal_secret }
}
