/** Brings everything of one Client up to date: its Connections, its accounts, and each account's transactions, statements and checks. */
import { ApiResponseError, ClosedError, UnreachableError, UnreadableResponseError } from '../api/errors.ts'
import type { Account } from '../contract/accounts.ts'
import type { Connection } from '../contract/connections.ts'
import { downloadFiles, type FileKind } from './files.ts'
import { AccountGoneError } from './gone.ts'
import { findLineage } from './lineage.ts'
import { syncAccounts, syncChecks, syncConnections, syncStatements } from './listed-streams.ts'
import { MirrorError } from './mirror/mirror-error.ts'
import { inParallel } from './parallel.ts'
import { isNotFound } from './reader.ts'
import { type Owner, utc } from './rows.ts'
import { dayMs, type Kind, type RunContext, timestamp } from './run-context.ts'
import type { Scopes } from './scopes.ts'
import {
  ClientForgottenError,
  failureOf,
  isForgotten,
  recordFailure,
  type StreamKey,
  StreamTakenError,
} from './streams.ts'
import { walkTransactions } from './transactions.ts'

export interface ClientContext extends RunContext {
  readonly scopes: Scopes
  /** The kinds to read beside Clients, Connections and accounts. */
  readonly wanted: ReadonlySet<Kind>
  /** The folder of `--files`. */
  readonly files: string | undefined
  /** Connections that were read already, by Client. */
  readonly alreadyRead: Map<string, readonly Connection[]>
  /** Called for each stream that failed three times. */
  readonly onFailure: (failure: StreamFailure) => void
  /** Called for each stream that another process reads: this one did not. */
  readonly onTaken?: (key: StreamKey) => void
}

/** What is read of a Client: all of it, or what a delivery names (rule 7). */
export interface Parts {
  readonly connections: boolean
  /** The accounts, and the transactions of those that rule 6 does not skip. */
  readonly accounts: boolean
  /** The accounts whose statements are listed although their day is not over. */
  readonly statements: ReadonlySet<string> | 'all'
}

const everything: Parts = { connections: true, accounts: true, statements: new Set() }

export interface StreamFailure extends StreamKey {
  readonly code: string
  readonly message: string
  readonly error: unknown
}

/** A failure as `--json` prints it. */
export interface ReportedFailure {
  readonly kind: string
  readonly subject: string
  readonly client_id: string | null
  readonly code: string
  readonly message: string
}

export function reported({ kind, subject, clientId, code, message }: StreamFailure): ReportedFailure {
  return { kind, subject, client_id: clientId, code, message }
}

/** How often a stream is tried before it is left to the next run. */
const ATTEMPTS = 3
/** After a walk the accounts are read again, since a change may have come meanwhile, up to this many times. */
const ROUNDS = 3
/** Statements and checks are listed once a day; a run a little earlier than the day before counts as the next day. */
const DAILY_MS = 0.8 * dayMs

export async function syncClient(
  context: ClientContext,
  clientId: string,
  { connections, accounts, statements }: Parts = everything,
): Promise<void> {
  if (connections) {
    const read = context.alreadyRead.get(clientId)
    context.alreadyRead.delete(clientId)
    await attempt(context, { kind: 'connections', subject: clientId, clientId }, async () => {
      await syncConnections(context, clientId, read)
    })
  }
  if (accounts) await syncEveryAccount(context, clientId)
  if (statements === 'all' || statements.size > 0) await syncNamedStatements(context, clientId, statements)
}

async function syncEveryAccount(context: ClientContext, clientId: string): Promise<void> {
  let before = new Map<string, string>()
  for (let round = 0; round < ROUNDS; round += 1) {
    const readAt = timestamp(context)
    const accounts = await listAccounts(context, clientId)
    const versions = new Map(
      accounts.map((account) => [account.id, `${account.updated_at} ${account.last_refreshed_at}`]),
    )
    const due = accounts.filter(({ id }) => before.get(id) !== versions.get(id))
    before = versions
    let walked = false
    await inParallel(due, (account) =>
      context.reader.walks(async () => {
        walked = (await syncAccount(context, clientId, account, readAt, round === 0)) || walked
      }),
    )
    if (!walked) break
  }
  await context.mirror.transaction(async (db) => {
    if (!(await isForgotten(context.mirror, db, clientId))) await findLineage(context, db, clientId)
  })
}

/** Lists the statements of accounts that the mirror has, whatever the day. */
async function syncNamedStatements(
  context: ClientContext,
  clientId: string,
  named: ReadonlySet<string> | 'all',
): Promise<void> {
  if (!context.wanted.has('statements')) return
  const accounts = await context.mirror.db
    .selectFrom('accounts')
    .select('id')
    .where('client_id', '=', clientId)
    .where('gone_at', 'is', null)
    .where('source', '<>', 'PDF')
    .execute()
  await inParallel(
    accounts.filter(({ id }) => named === 'all' || named.has(id)),
    ({ id }) =>
      syncFilesOf(context, 'statements', { account_id: id, client_id: clientId }, async (owner) => {
        await syncStatements(context, owner)
      }),
  )
}

async function listAccounts(context: ClientContext, clientId: string): Promise<readonly Account[]> {
  let accounts: readonly Account[] = []
  await attempt(context, { kind: 'accounts', subject: clientId, clientId }, async () => {
    accounts = await syncAccounts(context, clientId)
  })
  return accounts
}

/** Returns whether its transactions were walked, during which others may have been recorded. */
async function syncAccount(
  context: ClientContext,
  clientId: string,
  account: Account,
  readAt: string,
  first: boolean,
): Promise<boolean> {
  const { wanted, scopes } = context
  const owner: Owner = { account_id: account.id, client_id: clientId }
  const key = (kind: Kind): StreamKey => ({ kind, subject: account.id, clientId })
  let walked = false
  if (wanted.has('transactions')) {
    await attempt(context, key('transactions'), async () => {
      await scopes.read('transactions', async () => {
        walked = await walkTransactions(context, {
          ...owner,
          updated_at: utc(account.updated_at),
          last_refreshed_at: utc(account.last_refreshed_at),
          oldest_transaction_date: account.oldest_transaction_date ?? null,
          read_at: readAt,
        })
      })
    })
  }
  if (!first) return walked
  // The service serves no statements of PDF accounts, and checks of FDE accounts alone.
  const listed = [
    ['statements', account.source !== 'PDF', () => syncStatements(context, owner)],
    [
      'checks',
      !/^(PDF|AGGREGATOR_[AB])$/.test(account.source),
      () => syncChecks(context, owner, account.iso_currency_code),
    ],
  ] as const
  for (const [kind, served, sync] of listed) {
    if (!wanted.has(kind) || !served || !(await isDue(context, key(kind)))) continue
    await syncFilesOf(context, kind, owner, sync)
  }
  return walked
}

/** Lists statements or checks of an account, and downloads their files with --files. */
async function syncFilesOf(
  context: ClientContext,
  kind: FileKind,
  owner: Owner,
  list: (owner: Owner) => Promise<unknown>,
): Promise<void> {
  const key = { kind, subject: owner.account_id, clientId: owner.client_id }
  await attempt(context, key, async () => {
    await context.scopes.read(kind, async () => {
      await list(owner)
      if (context.files !== undefined) await downloadFiles(context, kind, owner, context.files)
    })
  })
}

/** Whether a daily listing is to be read again; always with --full. */
async function isDue(
  { mirror, reader, full, files }: ClientContext,
  { kind, subject }: StreamKey,
): Promise<boolean> {
  if (full || files !== undefined) return true
  const stream = await mirror.db
    .selectFrom('streams')
    .select(['complete_at', 'error_code'])
    .where('kind', '=', kind)
    .where('subject', '=', subject)
    .executeTakeFirst()
  if (stream?.complete_at == null || stream.error_code !== null) return true
  return reader.now() - Date.parse(stream.complete_at) >= DAILY_MS
}

/**
 * Runs the sync of a stream up to three times. A failure that remains is recorded and reported, and the rest goes on; one that
 * no other stream would escape ends the run.
 */
async function attempt(context: ClientContext, key: StreamKey, run: () => Promise<void>): Promise<void> {
  for (let number = 1; ; number += 1) {
    try {
      return await run()
    } catch (error) {
      context.reader.signal.throwIfAborted()
      if (endsTheRun(error)) throw error
      if (error instanceof ClientForgottenError) return
      if (error instanceof StreamTakenError) {
        context.onTaken?.(key)
        return
      }
      if (await hasGone(context, key, error)) return
      await recordFailure(context, key, error)
      if (number < ATTEMPTS && mayPass(error)) continue
      context.onFailure({ ...key, ...failureOf(error), error })
      return
    }
  }
}

/**
 * Whether what an account's stream did not find is the account itself, which went away after it was listed: no failure, as the
 * next listing says so.
 */
async function hasGone(
  { reader }: ClientContext,
  { subject, clientId }: StreamKey,
  error: unknown,
): Promise<boolean> {
  if (error instanceof AccountGoneError) return true
  if (!isNotFound(error) || clientId === null || subject === clientId) return false
  const account = await reader
    .byId((options) => reader.api.accounts.get({ account_id: subject, client_id: clientId }, options))
    .catch(() => 'unknown')
  return account === undefined
}

/** Whether a failure is one that every other stream would meet, too: the mirror, the key, the end of the program. */
function endsTheRun(error: unknown): boolean {
  if (error instanceof MirrorError || error instanceof ClosedError) return true
  return (
    error instanceof ApiResponseError &&
    (error.exit === 'notAuthenticated' || error.code === 'insufficient_scope')
  )
}

/** Whether the same may succeed at once: an outage may, and so may a walk whose cursor is refused. Another refusal does not. */
function mayPass(error: unknown): boolean {
  if (error instanceof ApiResponseError) return error.httpStatus >= 500 || error.httpStatus === 400
  return (
    error instanceof UnreachableError || (error instanceof UnreadableResponseError && error.reason === 'cut')
  )
}
