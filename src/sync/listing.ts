/** Brings a table up to a listing: what is new, what changed, what came back, and which of its rows the listing lacks. */
import type { MirrorTransaction, NewRow } from './mirror/mirror.ts'
import { type KindCounts, type RunContext, timestamp } from './run-context.ts'

/** The tables of what is listed: each row has an id, unique within its scope. */
export type ListedTable = 'clients' | 'institutions' | 'connections' | 'accounts' | 'statements' | 'checks'

/** Of a stored row, what decides whether an answer changes it. */
export interface StoredRow {
  readonly id: string
  readonly fingerprint: string
  readonly gone_at: string | null
  readonly missing_since: string | null
}

/** Of a row that is there now, beside its own columns. */
export const present = { gone_at: null, gone_reason: null, missing_since: null } as const

/**
 * Writes the rows that are new or differ from what is stored, and counts them. Returns those it wrote.
 * An unchanged row is not written, unless it was gone or missing.
 */
export async function mergeRows<T extends ListedTable>(
  context: Pick<RunContext, 'mirror' | 'reader'>,
  db: MirrorTransaction,
  {
    table,
    rows,
    stored,
    counts,
  }: {
    readonly table: T
    readonly rows: readonly NewRow<T>[]
    readonly stored: ReadonlyMap<string, StoredRow>
    readonly counts?: KindCounts
  },
): Promise<readonly NewRow<T>[]> {
  const now = timestamp(context)
  const written: NewRow<T>[] = []
  for (const row of rows as readonly NewRow<'clients'>[]) {
    const before = stored.get(row.id ?? '')
    const same = before !== undefined && before.fingerprint === row.fingerprint && before.gone_at === null
    if (same && before.missing_since === null) continue
    if (counts !== undefined && !same) counts[before === undefined ? 'new' : 'changed'] += 1
    written.push({ ...row, ...present, first_seen_at: now, changed_at: now } as NewRow<T>)
  }
  await context.mirror.put(db, table, written)
  return written
}

export function byId<R extends { readonly id: string }>(rows: readonly R[]): Map<string, R> {
  return new Map(rows.map((row) => [row.id, row]))
}
