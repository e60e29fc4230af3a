/**
 * Random days of a bank with syncs in between, and the proof after each run that ended: the mirror equals what a full walk by
 * independent code reads. A change that the rules let wait is excused for as long as they do.
 */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { type Emulator, startEmulator } from '../../src/emulator.ts'
import { openMirror } from '../../src/sync/mirror/open.ts'
import type { SyncSummary } from '../../src/sync/run.ts'
import { type Walked, walkAll } from './independent-walk.ts'
import { type SyncRun, syncOnce } from './sync-run.ts'

const child = fileURLToPath(new URL('./sync-child.ts', import.meta.url))
const hour = 3_600_000
const day = 24 * hour

/** What the histories have to reach, with how often they did. */
export const countersOfHistories = () => ({
  runs: 0,
  'runs that ended and were compared': 0,
  'a kill': 0,
  'a kill on page three': 0,
  'a cursor refused': 0,
  'a row moving up in mid-walk': 0,
  'a change while its account is being walked': 0,
  '1,000 rows re-recorded unchanged above a new one': 0,
  'a stream that failed': 0,
  'a run that failed': 0,
})
type Counters = ReturnType<typeof countersOfHistories>
export type Reached = keyof Counters

/** A change that a run may not have seen yet. */
interface Excuse {
  readonly until: number
  readonly because: string
  /** Quiet: until anything else about the account changes. */
  readonly version?: string
  /** Only while the row is dated more than 14 days back. */
  readonly date?: string
  /** A change during a run may wait for the next one. */
  readonly run?: number
}

const UNLISTED = 'it still reads by its id'

/** What may happen to an account while it is read. */
const midRun = [
  'record',
  'pending',
  'settle',
  'reissue',
  'drop',
  'edit',
  'retract',
  'unlist',
  'move',
  'rerecord',
  'backfill',
]

/** Numbers from a seed (mulberry32). */
class Random {
  #state: number
  constructor(seed: number) {
    this.#state = seed >>> 0
  }
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let t = this.#state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
  /** A whole number of both bounds and what is between. */
  int(from: number, to: number): number {
    return from + Math.floor(this.fraction() * (to - from + 1))
  }
  chance(share: number): boolean {
    return this.fraction() < share
  }
  pick<T>(items: readonly T[]): T {
    const item = items[this.int(0, items.length - 1)]
    if (item === undefined) throw new Error('nothing to pick from')
    return item
  }
}

// biome-ignore lint/suspicious/noExplicitAny: rows of the service and of the mirror, compared field by field
type Row = any

export class History {
  readonly #random: Random
  readonly #seed: number
  readonly #to: string
  readonly #reached: Counters
  readonly #log: string[] = []
  #emulator!: Emulator
  #pageSize = 500
  #now = Date.parse('2026-03-10T12:00:00.000Z')
  #run = 0
  /** What the last run that ended was compared with. */
  #before: Walked | undefined
  /** Statements and checks as they were at the end of earlier runs: they are listed daily. */
  readonly #listings: { readonly at: number; readonly walked: Walked }[] = []
  /** The rows of accounts as they were when they went away. */
  readonly #closed = new Map<string, Map<string, Row>>()
  readonly #seen = new Map<string, Set<string>>()
  readonly #excuses = new Map<string, Excuse[]>()
  readonly #taken: { account: string; id: string }[] = []
  readonly #relinked = new Map<string, number>()
  #inRun = false

  constructor(seed: number, to: string, reached: Counters) {
    this.#reached = reached
    this.#seed = seed
    this.#random = new Random(seed)
    this.#to = to
  }

  /** What happened, line by line. */
  get log(): string {
    return this.#log.join('\n')
  }

  async play(days: number): Promise<void> {
    const random = this.#random
    this.#emulator = await startEmulator({
      seed: this.#seed,
      frozenAt: new Date(this.#now).toISOString(),
      crowd: { clients: 1, accounts: 2, transactions: 1100 },
    })
    try {
      this.#pageSize = random.pick([20, 50, 100])
      if (random.chance(0.8)) await this.#killedOnPageThree()
      else await this.#sync('plain')
      const ways = ['refused', 'moving', 'killed', 'faulty', 'plain', 'killed', 'moving', 'plain']
      const first = random.int(0, ways.length - 1)
      const hidden = random.int(1, days)
      for (let number = 1; number <= days; number += 1) {
        for (let count = random.int(1, 5); count > 0; count -= 1) await this.#change()
        if (number === hidden) (await this.#planned(['thousand']))()
        await this.#advance(random.pick([0, 60_000, hour, 5 * hour, 20 * hour, 24 * hour, 30 * hour]))
        for (let count = random.int(0, 2); count > 0; count -= 1) await this.#change()
        await this.#sync(ways[(first + number) % ways.length] ?? 'plain')
      }
      this.#emulator.faults.clear()
      await this.#sync('plain')
      await this.#advance(8 * day)
      await this.#sync('plain')
      // What is listed no more counts as gone after two listings a day apart.
      await this.#advance(day + hour)
      await this.#sync('plain')
    } finally {
      await this.#emulator.stop()
    }
  }

  async #advance(ms: number): Promise<void> {
    if (ms === 0) return
    this.#say(`advance ${ms / hour}h`)
    await this.#emulator.advance(`${ms / 1000}s`)
    this.#now += ms
  }

  #say(line: string): void {
    this.#log.push(`${new Date(this.#now).toISOString()} ${this.#inRun ? '  (mid-run) ' : ''}${line}`)
  }

  // --- what banks do -------------------------------------------------------------------------------------------------

  async #change(): Promise<void> {
    const apply = await this.#planned()
    apply()
  }

  /** The accounts on which things happen, without their rows. */
  async #hot(): Promise<{ readonly walked: Walked; readonly accounts: readonly string[] }> {
    const walked = await walkAll(this.#emulator, () => false)
    const wanted =
      /^(acc_AGGREGATOR_A_100101|acc_AGGREGATOR_A_100103|acc_AGGREGATOR_B_200104|acc_FDE_12301|acc_PDF_)|crowd/
    const ids = [...walked.accounts.keys()]
    // The last ones are those of a bank that was linked again.
    return { walked, accounts: [...new Set([...ids.filter((id) => wanted.test(id)), ...ids.slice(-3)])] }
  }

  /** A change to carry out later, perhaps in the middle of a run. */
  async #planned(only?: readonly string[], on?: string): Promise<() => boolean> {
    const random = this.#random
    const { walked: accountsOnly, accounts } = await this.#hot()
    const account = on ?? random.pick(accounts)
    const crowd = accounts.find((id) => id.includes('crowd')) ?? account
    const walked = await walkAll(this.#emulator, (id) => id === account || id === crowd, accountsOnly)
    const rows = [...(walked.accounts.get(account)?.transactions.values() ?? [])] as Row[]
    const pending = rows.filter((row) => row.pending)
    const bank = this.#emulator.bank(account)
    const quiet = random.chance(0.25)
    const keepsPlace = random.chance(0.25)
    const what = random.pick(
      only ?? [
        'record',
        'record',
        'record',
        'pending',
        'pending',
        'settle',
        'settle',
        'reissue',
        'reissue',
        'drop',
        'edit',
        'edit',
        'retract',
        'unlist',
        'restore',
        'move',
        'rerecord',
        'twice',
        'rerecord all',
        'thousand',
        'backfill',
        'close',
        'reopen',
        'relink',
        'fail',
        'capability',
        'settled by itself',
      ],
    )
    const amount = -random.int(100, 9999) / 100
    const date = this.#date(-random.pick([0, 0, 0, 1, 3, 10, 13, 16, 40]))
    const row = rows.length === 0 ? undefined : random.pick(rows)
    const deep = rows.length === 0 ? undefined : rows[Math.floor(rows.length * (0.5 + random.fraction() / 2))]
    const charge = pending.length === 0 ? undefined : random.pick(pending)
    const text = random.pick(['COFFEE HOUSE', 'NOODLE YARD', 'FUEL STOP 12', 'GROCER'])
    const target = random.pick(accounts)
    const count = random.int(1, Math.max(1, rows.length))
    const gap = random.pick([{}, {}, { overlap: '20h' }, { gap: '20h' }])
    const as = random.pick(['same', 'tip', 'fuel'] as const)
    const connection = walked.accounts.get(account)?.account.connection_id as string | null
    const code = random.pick(['connection.failed', 'connection.requires_action', 'connection.disconnected'])
    const capability = random.pick(['transactions', 'balance'])
    const status = random.pick(['failed', 'succeeded'])
    const taken = this.#taken.length === 0 ? undefined : random.pick(this.#taken)
    const closed = this.#closed.size === 0 ? undefined : random.pick([...this.#closed.keys()])
    const manner = { ...(quiet ? { quiet } : {}), ...(keepsPlace ? { keepsPlace } : {}) }
    const hush = quiet ? { quiet } : {}
    const version = versionOf(walked, account)
    const silent = (id: string, { stays = false, later = 0, of = account, dated = date } = {}) => {
      if (this.#inRun) this.#excuse(of, id, { until: this.#now, run: this.#run, because: 'mid-run' })
      const until = this.#now + later + 7 * day
      if (quiet)
        this.#excuse(of, id, {
          until,
          ...(later > 0 ? {} : { version: versionOf(walked, of) ?? '' }),
          because: 'quiet',
        })
      if (stays) this.#excuse(of, id, { until, date: dated, because: 'stays at its place' })
    }
    const done = (line: string, change: () => void) => () => {
      try {
        change()
        this.#say(`${account}: ${line} ${JSON.stringify(manner)} (version ${version})`)
        return true
      } catch (error) {
        // Another change came before: there is no such row any more.
        if (!(error instanceof Error) || error.constructor.name !== 'ServiceError') throw error
        this.#say(`${account}: ${line} refused: ${error.message}`)
        return false
      }
    }
    switch (what) {
      case 'record':
        return done(`record ${date} ${amount}`, () =>
          silent(bank.record({ amount, date, description: text, ...hush }), {}),
        )
      case 'twice': {
        const other = walked.accounts.get(crowd)?.transactions.keys().next().value
        if (other === undefined || account === crowd) break
        return done(`record ${other} of ${crowd} once more`, () =>
          silent(bank.record({ id: other, amount, date, description: text, ...hush })),
        )
      }
      case 'pending':
        return done('record pending', () =>
          silent(
            bank.record({
              amount,
              date: this.#date(-random.int(0, 3)),
              description: text,
              pending: true,
              ...hush,
            }),
          ),
        )
      case 'settle':
        if (charge === undefined) break
        return done(`settle ${charge.id}`, () => {
          bank.settle(charge.id, { ...manner, ...(random.chance(0.5) ? { amount } : {}) })
          silent(charge.id, { stays: keepsPlace, dated: charge.date })
        })
      case 'reissue':
        if (charge === undefined) break
        return done(`reissue ${charge.id} ${as} ${JSON.stringify(gap)}`, () => {
          const id = bank.reissue(charge.id, { as, ...gap, ...hush })
          silent(charge.id, { later: 'overlap' in gap ? 20 * hour : 0 })
          silent(id, { later: 'gap' in gap ? 20 * hour : 0 })
        })
      case 'drop':
        if (charge === undefined) break
        return done(`drop ${charge.id}`, () => silent(bank.drop(charge.id, hush)))
      case 'edit':
        if (row === undefined) break
        return done(`edit ${row.id} of ${row.date}`, () => {
          const newDate = random.chance(0.3) ? date : row.date
          bank.edit(row.id, { amount, date: newDate, ...manner })
          silent(row.id, { stays: keepsPlace, dated: newDate < row.date ? newDate : row.date })
        })
      case 'edit deep':
        if (deep === undefined) break
        return done(`edit ${deep.id} of ${deep.date}, which moves up`, () => {
          bank.edit(deep.id, { amount })
          this.#excuse(account, deep.id, { until: this.#now, run: this.#run, because: 'mid-run' })
        })
      case 'retract':
        if (row === undefined) break
        return done(`retract ${row.id} of ${row.date}`, () => {
          bank.retract(row.id, hush)
          this.#taken.push({ account, id: row.id })
          silent(row.id, { stays: true, dated: row.date })
        })
      case 'unlist':
        if (row === undefined) break
        return done(`unlist ${row.id} of ${row.date}`, () => {
          bank.unlist(row.id, hush)
          this.#taken.push({ account, id: row.id })
          silent(row.id, { stays: true, dated: row.date })
          this.#excuse(account, row.id, { until: this.#now + 7 * day, because: UNLISTED })
        })
      case 'restore':
        if (taken === undefined) break
        return done(`restore ${taken.id} in ${taken.account}`, () => {
          this.#emulator.bank(taken.account).restore(taken.id, manner)
          this.#taken.splice(this.#taken.indexOf(taken), 1)
          const dated =
            this.#before?.accounts.get(taken.account)?.transactions.get(taken.id)?.date ?? '2000-01-01'
          silent(taken.id, { stays: keepsPlace, of: taken.account, dated })
        })
      case 'move': {
        const sameClient = walked.accounts.get(target)?.clientId === walked.accounts.get(account)?.clientId
        if (row === undefined || target === account || !sameClient) break
        return done(`move ${row.id} of ${row.date} to ${target}`, () => {
          bank.move(row.id, target, hush)
          silent(row.id, { stays: true, dated: row.date })
          silent(row.id, { of: target })
        })
      }
      case 'rerecord':
        return done(`rerecord ${count} of ${rows.length}`, () => {
          this.#hide(walked, account)
          bank.rerecord(count, hush)
        })
      case 'rerecord all':
        // Above a row that is new, all others are as they were, in their order.
        return done(`record ${date}, rerecord the other ${rows.length}`, () => {
          this.#hide(walked, account)
          const id = bank.record({ amount, date, description: text, ...hush })
          silent(id, { stays: true })
          bank.rerecord(rows.length, hush)
        })
      case 'thousand': {
        const others = walked.accounts.get(crowd)?.transactions.size ?? 0
        if (others < 1000) break
        return done(`record in ${crowd}, rerecord the other ${others}`, () => {
          this.#hide(walked, crowd)
          const id = this.#emulator.bank(crowd).record({ amount, date, description: text })
          this.#excuse(crowd, id, { until: this.#now + 7 * day, date, because: 'stays at its place' })
          if (this.#inRun) this.#excuse(crowd, id, { until: this.#now, run: this.#run, because: 'mid-run' })
          this.#emulator.bank(crowd).rerecord(random.pick([1000, others]))
          this.#reached['1,000 rows re-recorded unchanged above a new one'] += 1
        })
      }
      case 'backfill':
        return done('backfill', () => {
          bank.backfill(random.int(3, 40), hush)
          if (this.#inRun)
            this.#excuse(account, '*', { until: this.#now, run: this.#run, because: 'mid-run' })
        })
      case 'close':
        if (this.#closed.size > 2 || this.#inRun) break
        return done('close', () => {
          bank.close()
          this.#closed.set(account, new Map(rows.map((each) => [each.id, each])))
        })
      case 'reopen':
        if (closed === undefined || this.#inRun) break
        return done(`reopen ${closed}`, () => {
          this.#emulator.bank(closed).reopen()
          this.#closed.delete(closed)
        })
      case 'relink': {
        if (
          connection === null ||
          (this.#relinked.get(connection) ?? 0) > 0 ||
          this.#relinked.size > 1 ||
          this.#inRun
        )
          break
        const how = random.pick([{}, { keepOld: true }, { days: 60 }, { days: 60, keepOld: true }])
        return done(`relink ${connection} ${JSON.stringify(how)}`, () => {
          this.#emulator.relink(connection, how)
          this.#relinked.set(connection, 1)
        })
      }
      case 'fail':
        if (connection === null || this.#inRun) break
        return done(`${code} ${connection}`, () => this.#emulator.trigger({ type: code, connection }))
      case 'capability':
        if (connection === null || this.#inRun) break
        return done(`${capability} of ${connection} ${status}`, () =>
          this.#emulator.trigger({ type: 'connection.capability_changed', connection, capability, status }),
        )
      case 'settled by itself':
        if (connection === null || this.#inRun) break
        return done(`transaction.settled ${connection}`, () =>
          this.#emulator.trigger({ type: 'transaction.settled', connection }),
        )
    }
    return () => false
  }

  #date(days: number): string {
    return new Date(this.#now + days * day).toISOString().slice(0, 10)
  }

  #excuse(account: string, id: string, excuse: Excuse): void {
    const key = `${account} ${id}`
    this.#excuses.set(key, [...(this.#excuses.get(key) ?? []), excuse])
  }

  /** Rows that are recorded again may hide what changed before it, where that is dated more than 14 days back. */
  #hide(walked: Walked, account: string): void {
    const now = walked.accounts.get(account)?.transactions ?? new Map()
    const before = this.#before?.accounts.get(account)?.transactions ?? new Map()
    for (const [id, row] of now) {
      const old = before.get(id)
      if (isDeepStrictEqual(old, row)) continue
      const date = old !== undefined && old.date < row.date ? old.date : row.date
      this.#excuse(account, id, {
        until: this.#now + 7 * day,
        date,
        because: 'below what was recorded again',
      })
    }
  }

  // --- runs ----------------------------------------------------------------------------------------------------------

  get #syncRun(): SyncRun {
    const { baseUrl, apiKey } = this.#emulator
    return { baseUrl, apiKey, to: this.#to, pageSize: this.#pageSize }
  }

  async #killedOnPageThree(): Promise<void> {
    await this.#killed({ pattern: `GET /accounts/*crowd*/transactions`, after: 2 })
    await this.#sync('plain')
  }

  async #sync(way: string): Promise<unknown> {
    const random = this.#random
    const { faults } = this.#emulator
    const pattern = 'GET /accounts/*/transactions'
    switch (way) {
      case 'killed': {
        await this.#killed(
          random.chance(0.5)
            ? { pattern, after: random.int(0, 60) }
            : { pattern: 'GET /**', after: random.int(0, 120) },
        )
        if (random.chance(0.5)) await this.#change()
        if (random.chance(0.2)) await this.#advance(random.pick([hour, 20 * hour]))
        if (random.chance(0.4)) {
          this.#emulator.refuseCursors()
          this.#say('cursors refused')
          if ((await this.#cursors()) > 0) this.#reached['a cursor refused'] += 1
        }
        return this.#compared({})
      }
      case 'faulty': {
        const fault = random.pick([
          { status: 503, times: random.int(1, 9) },
          { status: 500, times: random.int(1, 3) },
          { status: 429, retryAfter: 2, times: random.int(1, 5) },
          { truncate: true, times: random.int(1, 4) },
          { drop: true, times: random.int(1, 4) },
          { status: 403 },
        ])
        const where = random.pick([
          pattern,
          'GET /**',
          'GET /transactions/*',
          'GET /accounts',
          'GET /accounts/acc_AGGREGATOR_A_100103/transactions',
        ])
        const after = random.int(0, 40)
        // A refusal of everything ends the run; that is for another test.
        faults.add({
          ...fault,
          pattern:
            'status' in fault && fault.status === 403
              ? 'GET /accounts/acc_AGGREGATOR_A_100103/transactions'
              : where,
          after,
        })
        this.#say(`fault ${JSON.stringify(fault)} at ${where} after ${after}`)
        await this.#compared({})
        faults.clear()
        return
      }
      case 'refused': {
        faults.add({
          pattern,
          refuseCursor: true,
          after: random.int(0, 3),
          times: 1,
          meanwhile: () => {
            this.#reached['a cursor refused'] += 1
          },
        })
        this.#say('a cursor is refused')
        const summary = await this.#compared({ full: true })
        faults.clear()
        if (summary?.outcome !== 'complete')
          throw new Error(`${this.#seed}: a refused cursor ended a stream\n${this.log}`)
        return
      }
      case 'moving': {
        const { accounts } = await this.#hot()
        const large = accounts.find((id) => id.includes('crowd'))
        const account = large !== undefined && random.chance(0.7) ? large : random.pick(accounts)
        const full = random.chance(0.7)
        const up = await this.#planned(['edit deep'], account)
        const other = await this.#planned(midRun, account)
        // Of a thousand rows the later half is still ahead after three pages.
        const ahead = full && account === large
        for (const [change, what] of [
          [up, 'a row moving up in mid-walk'],
          [other, 'a change while its account is being walked'],
        ] as const) {
          faults.add({
            pattern: `GET /accounts/${account}/transactions`,
            after: random.int(1, 3),
            times: 1,
            meanwhile: () => {
              if (change() && ahead) this.#reached[what] += 1
            },
          })
        }
        await this.#compared({ full })
        faults.clear()
        return
      }
    }
    return this.#compared({ full: random.chance(0.1) })
  }

  /** Starts a sync in a process of its own and kills it at a request, or a little later. */
  async #killed(at: { readonly pattern: string; readonly after: number }): Promise<void> {
    this.#say(`sync, killed at ${JSON.stringify(at)}`)
    this.#run += 1
    this.#reached.runs += 1
    const running = spawn(process.execPath, [child], {
      env: { ...process.env, SYNC_RUN: JSON.stringify(this.#syncRun) },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const later = this.#random.chance(0.5) ? this.#random.int(0, 30) : undefined
    this.#emulator.faults.add({
      ...at,
      times: 1,
      meanwhile: () => {
        if (later === undefined) running.kill('SIGKILL')
        else setTimeout(() => running.kill('SIGKILL'), later)
      },
    })
    const signal = await new Promise((resolve) => running.once('exit', (_code, by) => resolve(by)))
    this.#emulator.faults.clear()
    if (signal !== 'SIGKILL') return
    this.#reached['a kill'] += 1
    if ((await this.#cursors()) >= 2 * this.#pageSize) this.#reached['a kill on page three'] += 1
  }

  /** The most rows of a walk that was cut short and can be resumed. */
  async #cursors(): Promise<number> {
    const mirror = await openMirror({ to: this.#to, env: process.env })
    const rows = await mirror.db
      .selectFrom('streams')
      .select('walk_rows')
      .where('cursor', 'is not', null)
      .execute()
    await mirror.close()
    return Math.max(0, ...rows.map(({ walk_rows }) => Number(walk_rows)))
  }

  async #compared(options: NonNullable<SyncRun['options']>): Promise<SyncSummary | undefined> {
    this.#run += 1
    this.#reached.runs += 1
    this.#say(`sync ${JSON.stringify(options)}`)
    let summary: SyncSummary
    this.#inRun = true
    try {
      summary = await syncOnce({
        ...this.#syncRun,
        options: { ...options, acceptGone: this.#random.chance(0.3) },
      })
    } catch (error) {
      this.#reached['a run that failed'] += 1
      this.#say(`the run failed: ${error}`)
      if (!(error instanceof Error && 'exit' in error)) throw error
      return undefined
    } finally {
      this.#inRun = false
    }
    this.#emulator.faults.clear()
    this.#reached['a stream that failed'] += summary.failed.length
    for (const failure of summary.failed) this.#say(`failed: ${JSON.stringify(failure)}`)
    await this.#prove(summary)
    this.#reached['runs that ended and were compared'] += 1
    return summary
  }

  // --- the proof -----------------------------------------------------------------------------------------------------

  async #prove(summary: SyncSummary): Promise<void> {
    const walked = await walkAll(this.#emulator)
    const mirror = await openMirror({ to: this.#to, env: process.env })
    const all = (table: Row) => mirror.db.selectFrom(table).selectAll().execute() as Promise<Row[]>
    const [clients, connections, accounts, transactions, statements, checks, ledger, lineage, streams] =
      (await Promise.all(
        [
          'clients',
          'connections',
          'accounts',
          'transactions',
          'statements',
          'checks',
          'ledger',
          'account_lineage',
          'streams',
        ].map(all),
      )) as [Row[], Row[], Row[], Row[], Row[], Row[], Row[], Row[], Row[]]
    await mirror.close()
    const problems: string[] = []
    const failed = new Set(summary.failed.map(({ kind, subject }) => `${kind} ${subject}`))
    for (const key of failed) {
      const [kind, subject] = key.split(' ')
      const stream = streams.find((one) => one.kind === kind && one.subject === subject)
      if (stream?.error_code == null) problems.push(`${key} failed, and its stream does not say so`)
    }
    const raced = (account: string) =>
      [...this.#excuses].some(
        ([key, list]) => key.startsWith(`${account} `) && list.some(({ run }) => run === this.#run),
      )
    const live = (rows: Row[]) => rows.filter(({ gone_at }) => gone_at === null)
    this.#same(problems, 'clients', live(clients), [...walked.clients.values()], () => failed.has('clients '))
    this.#same(problems, 'connections', live(connections), [...walked.connections.values()], (row) =>
      failed.has(`connections ${row.client_id}`),
    )
    this.#same(
      problems,
      'accounts',
      live(accounts),
      [...walked.accounts.values()].map(({ account }) => account),
      (row) => failed.has(`accounts ${row.client_id}`) || raced(row.id),
    )
    const goneAccounts = new Set(accounts.filter(({ gone_at }) => gone_at !== null).map(({ id }) => id))
    // The run says that it left out what the key may not read.
    const unread = new Set(summary.missing_scopes.map(({ kind }) => kind))
    const skipped = (account: string, kind: string) => {
      if (unread.has(kind)) return true
      const client = walked.accounts.get(account)?.clientId
      return failed.has(`${kind} ${account}`) || failed.has(`accounts ${client}`)
    }

    // The first listing without it comes within 7 days, and the second a day later.
    for (const [key, list] of this.#excuses) {
      if (skipped(key.split(' ')[0] ?? '', 'transactions')) continue
      const more = list.filter(({ because, until }) => because === UNLISTED && until <= this.#now)
      const rest = list.filter((one) => !more.includes(one))
      const later = { until: this.#now + day, because: 'its second listing' }
      this.#excuses.set(key, more.length === 0 ? rest : [...rest, later])
    }
    // Transactions, row by row.
    const stored = new Map<string, Map<string, Row>>()
    for (const row of transactions) {
      const ofAccount = stored.get(row.account_id) ?? new Map()
      stored.set(row.account_id, ofAccount.set(row.id, row))
    }
    for (const [account, { transactions: listed }] of walked.accounts) {
      const rows = stored.get(account) ?? new Map<string, Row>()
      for (const id of new Set([...listed.keys(), ...rows.keys()])) {
        const wanted = listed.get(id)
        const row = rows.get(id)
        const there = row !== undefined && row.gone_at === null
        if (wanted === undefined ? !there : there && sameRow(row, wanted)) {
          this.#excuses.delete(`${account} ${id}`)
          continue
        }
        if (skipped(account, 'transactions') || this.#excused(walked, account, id)) continue
        problems.push(
          `transaction ${id} of ${account}: the service has ${JSON.stringify(wanted)}, the mirror ${JSON.stringify(row)}; its excuses: ${JSON.stringify(this.#excuses.get(`${account} ${id}`))}; stream ${JSON.stringify(streams.find((one) => one.kind === 'transactions' && one.subject === account))}`,
        )
      }
    }

    // Statements and checks are listed once a day.
    this.#listings.push({ at: this.#now, walked })
    const listings = this.#listings.filter(({ at }) => at > this.#now - 0.8 * day)
    for (const [kind, rows] of [
      ['statements', statements],
      ['checks', checks],
    ] as const) {
      for (const account of walked.accounts.keys()) {
        if (skipped(account, kind)) continue
        const mine = live(rows).filter((row) => row.account_id === account)
        const fits = listings.some(({ walked: then }) => {
          const wanted = [...(then.accounts.get(account)?.[kind].values() ?? [])]
          return (
            wanted.length === mine.length &&
            wanted.every((item) => mine.some((row) => row.id === item.id && sameRaw(row, item)))
          )
        })
        if (!fits)
          problems.push(
            `${kind} of ${account}: ${mine.length} rows in the mirror, other than any listing of the day`,
          )
      }
    }

    // Every id that was ever listed.
    for (const [account, { transactions: listed }] of walked.accounts) {
      const seen = this.#seen.get(account) ?? new Set()
      this.#seen.set(account, seen)
      const rows = stored.get(account)
      for (const id of listed.keys()) if (rows?.has(id)) seen.add(id)
    }
    for (const [account, ids] of this.#seen) {
      for (const id of ids)
        if (!stored.get(account)?.has(id)) problems.push(`${id} of ${account} is in the mirror no more`)
    }

    this.#proveLedger(problems, { walked, ledger, lineage, stored, goneAccounts, skipped })
    this.#before = walked
    if (problems.length > 0) {
      throw new Error(
        `seed ${this.#seed}, ${this.#to}: ${problems.length} differences after run ${this.#run}:\n${problems.slice(0, 8).join('\n')}\n\nHistory:\n${this.#log.join('\n')}`,
      )
    }
  }

  /** The ledger is what the service has as settled, and the rows of accounts that are gone, each once. */
  #proveLedger(
    problems: string[],
    {
      walked,
      ledger,
      lineage,
      stored,
      goneAccounts,
      skipped,
    }: {
      walked: Walked
      ledger: Row[]
      lineage: Row[]
      stored: Map<string, Map<string, Row>>
      goneAccounts: Set<string>
      skipped: (account: string, kind: string) => boolean
    },
  ): void {
    const counted = new Map<string, Row>(ledger.map((row) => [`${row.account_id} ${row.id}`, row]))
    if (counted.size !== ledger.length) problems.push('the ledger has a row twice')
    const settledLike = (account: string, row: Row) =>
      [...(stored.get(account)?.values() ?? [])].filter(
        (one) =>
          !one.pending &&
          one.gone_at === null &&
          one.date === row.date &&
          Number(one.amount) === Number(row.amount),
      )
    const continued = (account: string, row: Row) =>
      lineage.some(
        (one) =>
          one.old_account_id === account &&
          one.match === 'exact' &&
          one.decision !== 'rejected' &&
          row.date >= one.since &&
          settledLike(account, row).filter(({ id }) => id <= row.id).length <=
            settledLike(one.new_account_id, row).length,
      )
    let wanted = 0
    let found = 0
    const cents = (amount: unknown) => Math.round(Number(amount) * 1000)
    for (const [account, { transactions }] of walked.accounts) {
      if (skipped(account, 'transactions')) continue
      for (const id of new Set([...transactions.keys(), ...(stored.get(account)?.keys() ?? [])])) {
        if (this.#excuses.has(`${account} ${id}`) || this.#excused(walked, account, id)) continue
        const row = transactions.get(id)
        const counts = row !== undefined && !row.pending && !continued(account, row)
        const line = counted.get(`${account} ${id}`)
        if (counts !== (line !== undefined))
          problems.push(`ledger: ${id} of ${account} ${counts ? 'is missing' : 'counts though it must not'}`)
        if (counts) wanted += cents(row.amount)
        if (line !== undefined) found += cents(line.amount)
      }
    }
    for (const account of goneAccounts) {
      const rows = this.#closed.get(account)
      for (const [id, row] of rows ?? []) {
        const known = stored.get(account)?.get(id)
        if (
          known === undefined ||
          known.gone_at !== null ||
          this.#excuses.has(`${account} ${id}`) ||
          !sameRow(known, row)
        )
          continue
        const counts = !row.pending && !continued(account, row)
        const line = counted.get(`${account} ${id}`)
        if (counts !== (line !== undefined))
          problems.push(
            `ledger: ${id} of the gone ${account} ${counts ? 'is missing' : 'counts though it must not'}`,
          )
        if (counts) wanted += cents(row.amount)
        if (line !== undefined) found += cents(line.amount)
      }
    }
    if (wanted !== found) problems.push(`the ledger's sum is ${found / 1000}, the service's ${wanted / 1000}`)
  }

  #same(problems: string[], table: string, rows: Row[], wanted: Row[], excused: (row: Row) => boolean): void {
    const found = new Map(rows.map((row) => [row.id, row]))
    for (const item of wanted) {
      const row = found.get(item.id)
      found.delete(item.id)
      if ((row === undefined || !sameRaw(row, item)) && !excused(row ?? item)) {
        problems.push(`${table}: the service has ${JSON.stringify(item)}, the mirror ${row?.raw}`)
      }
    }
    for (const row of found.values())
      if (!excused(row)) problems.push(`${table}: ${row.id} is listed no more`)
  }

  #excused(walked: Walked, account: string, id: string): boolean {
    const fortnight = this.#date(-13)
    const holds = ({ until, run, version, date }: Excuse) =>
      run !== undefined
        ? run === this.#run
        : this.#now < until &&
          (version === undefined || version === versionOf(walked, account)) &&
          (date === undefined || date < fortnight)
    return [id, '*'].some((one) => this.#excuses.get(`${account} ${one}`)?.some(holds))
  }
}

function versionOf(walked: Walked, account: string): string | undefined {
  const found = walked.accounts.get(account)?.account
  return found && `${found.updated_at} ${found.last_refreshed_at}`
}

function sameRaw(row: Row, item: Row): boolean {
  return isDeepStrictEqual(typeof row.raw === 'string' ? JSON.parse(row.raw) : row.raw, item)
}

function sameRow(row: Row, item: Row): boolean {
  return (
    sameRaw(row, item) &&
    Number(row.amount) === item.amount &&
    row.date === item.date &&
    Boolean(row.pending) === item.pending &&
    row.description === item.description
  )
}
