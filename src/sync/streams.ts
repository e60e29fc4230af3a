/** What is walked and resumed as one: its place, its last success and failure, and who walks it now. */
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
export const LEASE_MS = 60_000

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

/** Takes a stream, so that no other process writes to it. @throws StreamTakenError when another has it. */
export async function takeStream(context: RunContext, key: StreamKey): Promise<Stream> {
  const { mirror, lease, takesOver } = context
  return mirror.transaction(async (db) => {
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
    const now = timestamp(context)
    let taking = db
      .updateTable('streams')
      .set({ lease, leased_until: leasedUntil(context) })
      .where('kind', '=', key.kind)
      .where('subject', '=', key.subject)
    if (!takesOver) {
      taking = taking.where((is) =>
        is.or([is('lease', 'is', null), is('lease', '=', lease), is('leased_until', '<', now)]),
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
    .set({ ...changes, leased_until: leasedUntil(context) })
    .where('kind', '=', stream.kind)
    .where('subject', '=', stream.subject)
    .where('lease', '=', context.lease)
    .returningAll()
    .executeTakeFirst()
  if (written === undefined) throw new StreamTakenError(stream as Pick<StreamKey, 'kind' | 'subject'>)
  return written
}

/** What a stream is after a walk that reached its end. */
export function completed(context: RunContext): NewRow<'streams'> {
  return {
    complete_at: timestamp(context),
    failures: 0,
    error_code: null,
    error_message: null,
    lease: null,
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
        lease: null,
      }))
      .where('kind', '=', key.kind)
      .where('subject', '=', key.subject)
      .where((is) => is.or([is('lease', '=', lease), is('lease', 'is', null)]))
      .execute()
  })
}

export function failureOf(error: unknown): { code: string; message: string } {
  if (error instanceof BankapiError) return { code: error.code, message: error.sentence }
  return { code: 'unexpected', message: error instanceof Error ? error.message : String(error) }
}

function leasedUntil({ reader }: RunContext): string {
  return new Date(reader.now() + LEASE_MS).toISOString()
}
