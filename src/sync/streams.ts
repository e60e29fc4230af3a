/** What is walked and resumed as one: its place, its last success and failure, and who walks it now. */
import { type RawBuilder, sql } from 'kysely'
import { BankapiError } from '../errors.ts'
import type { MirrorTransaction, NewRow } from './mirror/mirror.ts'
import type { Row } from './mirror/tables.ts'
import { type Kind, type RunContext, timestamp } from './run-context.ts'

export type Stream = Row<'streams'>

export interface StreamKey {
  readonly kind: Kind
  /** The Client or account; empty for the Clients. */
  readonly subject: string
  readonly clientId: string | null
}

/** How long another waits for a writer that says nothing. Each commit begins it anew. */
const LEASE_MS = 60_000

/**
 * Begins the lease of a run that has claimed the mirror. Of another such run it takes what that one held at once: without the
 * claim it is over.
 */
export const RUN_LEASE = 'run:'

/** Another process walks the stream, or has taken it from this one. Nothing was written. */
export class StreamTakenError extends BankapiError {
  override readonly name = 'StreamTakenError'

  constructor({ kind, subject }: Pick<StreamKey, 'kind' | 'subject'>) {
    super(`Another sync reads the ${kind}${subject === '' ? '' : ` of ${subject}`}`, {
      code: 'stream_taken',
      exit: 'conflict',
      hint: 'It goes on there; see bankapi sync status',
    })
  }
}

/** The Client was erased from the mirror with `sync forget`. Nothing of it is written. */
export class ClientForgottenError extends BankapiError {
  override readonly name = 'ClientForgottenError'

  constructor(clientId: string) {
    super(`${clientId} was erased from the mirror with bankapi sync forget`, {
      code: 'client_forgotten',
      exit: 'conflict',
      hint: 'It is not read again',
    })
  }
}

/**
 * Whether a Client was erased. The answer holds until the transaction ends: on Postgres the lock of its row keeps `sync forget`
 * out, which takes that row first.
 */
export async function isForgotten(
  { kind }: Pick<RunContext['mirror'], 'kind'>,
  db: MirrorTransaction,
  clientId: string,
): Promise<boolean> {
  if (kind === 'postgres') {
    await sql`SELECT id FROM clients WHERE id = ${clientId} FOR KEY SHARE`.execute(db)
  }
  const found = await db
    .selectFrom('forgotten_clients')
    .select('client_id')
    .where('client_id', '=', clientId)
    .executeTakeFirst()
  return found !== undefined
}

/**
 * Takes a stream, so that no other process writes to it.
 * @throws StreamTakenError when another has it, ClientForgottenError when its Client was erased.
 */
export async function takeStream(context: RunContext, key: StreamKey): Promise<Stream> {
  const { mirror, lease, takesOver, reader } = context
  reader.signal.throwIfAborted()
  return mirror.transaction(async (db) => {
    if (key.clientId !== null && (await isForgotten(mirror, db, key.clientId))) {
      throw new ClientForgottenError(key.clientId)
    }
    await db
      .insertInto('streams')
      .values({
        kind: key.kind,
        subject: key.subject,
        client_id: key.clientId,
        walk: 0,
        complete_walk: 0,
        walk_rows: 0,
        failures: 0,
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    let taking = db
      .updateTable('streams')
      .set({ lease, leased_until: fromNow(context, context.leaseMs ?? LEASE_MS) })
      .where('kind', '=', key.kind)
      .where('subject', '=', key.subject)
    if (!takesOver) {
      taking = taking.where((is) =>
        is.or([
          is('leased_until', 'is', null),
          is('leased_until', '<', fromNow(context, 0)),
          is('lease', '=', lease),
          ...(lease.startsWith(RUN_LEASE) ? [is('lease', 'like', `${RUN_LEASE}%`)] : []),
        ]),
      )
    }
    const taken = await taking.returningAll().executeTakeFirst()
    if (taken === undefined) throw new StreamTakenError(key)
    return taken
  })
}

/**
 * Writes what a walk came to, in the transaction of its rows, and returns the stream as it is then.
 * @throws StreamTakenError when another process has taken it meanwhile: the whole transaction is undone.
 */
export async function advance(
  context: RunContext,
  db: MirrorTransaction,
  stream: Pick<Stream, 'kind' | 'subject'>,
  changes: NewRow<'streams'>,
): Promise<Stream> {
  const written = await db
    .updateTable('streams')
    .set({ leased_until: fromNow(context, context.leaseMs ?? LEASE_MS), ...changes })
    .where('kind', '=', stream.kind)
    .where('subject', '=', stream.subject)
    .where('lease', '=', context.lease)
    .returningAll()
    .executeTakeFirst()
  if (written === undefined) throw new StreamTakenError(stream as Pick<StreamKey, 'kind' | 'subject'>)
  return written
}

/**
 * What a stream is after a walk that reached its end: free. Its lease stays that of its last writer, so that one which was
 * overtaken is refused even when nobody else walks any more.
 */
export function completed(context: RunContext): NewRow<'streams'> {
  return {
    complete_at: timestamp(context),
    failures: 0,
    error_code: null,
    error_message: null,
    leased_until: null,
    cursor: null,
  }
}

/** Records a failure: until the next complete walk the stream is not fresh, and says why. */
export async function recordFailure(context: RunContext, key: StreamKey, error: unknown): Promise<void> {
  const { mirror, lease } = context
  const { code, message } = failureOf(error)
  await mirror.transaction(async (db) => {
    await db
      .updateTable('streams')
      .set((is) => ({
        failures: is('failures', '+', 1),
        error_code: code,
        error_message: message,
        leased_until: null,
      }))
      .where('kind', '=', key.kind)
      .where('subject', '=', key.subject)
      .where('lease', '=', lease)
      .execute()
  })
}

export function failureOf(error: unknown): { code: string; message: string } {
  if (error instanceof BankapiError) return { code: error.code, message: error.sentence }
  return { code: 'unexpected', message: error instanceof Error ? error.message : String(error) }
}

/** Keeps the leases of these Clients, as long as their writers still have them: for a writer that waits for the service. */
export async function keepLeases(
  context: Pick<RunContext, 'mirror' | 'reader' | 'leaseMs'>,
  leases: ReadonlyMap<string, string>,
): Promise<void> {
  if (leases.size === 0) return
  await context.mirror.db
    .updateTable('streams')
    .set({ leased_until: fromNow(context, context.leaseMs ?? LEASE_MS) })
    .where('client_id', 'in', [...leases.values()])
    .where('lease', 'in', [...leases.keys()])
    .where('leased_until', 'is not', null)
    .execute()
}

/** Frees what a writer has of a Client, for whoever goes on. */
export async function freeLeases(
  { mirror, lease }: Pick<RunContext, 'mirror' | 'lease'>,
  clientId: string,
): Promise<void> {
  await mirror.db
    .updateTable('streams')
    .set({ leased_until: null })
    .where('client_id', '=', clientId)
    .where('lease', '=', lease)
    .execute()
}

/** A moment so many ms from now: on Postgres by its clock, which all that write share. */
function fromNow({ mirror, reader }: Pick<RunContext, 'mirror' | 'reader'>, ms: number): RawBuilder<string> {
  if (mirror.kind === 'sqlite') return sql<string>`${new Date(reader.now() + ms).toISOString()}`
  return sql<string>`clock_timestamp() + ${ms} * interval '1 millisecond'`
}
