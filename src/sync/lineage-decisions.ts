/** Accounts that continue another after a re-link, as a person sees and decides them (rule 8). */
import type { Mirror } from './mirror/mirror.ts'
import { MirrorError } from './mirror/mirror-error.ts'

export interface Lineage {
  readonly old_account_id: string
  readonly new_account_id: string
  readonly client_id: string
  readonly account_name: string | null
  readonly mask: string | null
  readonly match: string | null
  readonly matching_rows: number | null
  readonly decision: string | null
  /** From this date on the ledger takes the successor alone, if it is `applied`. */
  readonly since: string | null
  readonly applied: boolean
}

/** Every pair, those that wait for a decision first. */
export async function listLineage({ db }: Pick<Mirror, 'db'>): Promise<readonly Lineage[]> {
  const found = await db
    .selectFrom('account_lineage as l')
    .leftJoin('accounts as a', 'a.id', 'l.new_account_id')
    .select([
      'l.old_account_id',
      'l.new_account_id',
      'l.client_id',
      'a.name as account_name',
      'a.mask as mask',
      'l.match',
      'l.matching_rows',
      'l.decision',
      'l.since',
    ])
    .orderBy('l.client_id')
    .orderBy('l.old_account_id')
    .orderBy('l.new_account_id')
    .execute()
  const waits = ({ decision, match }: { decision: string | null; match: string | null }) =>
    decision === null && match !== 'exact'
  return found
    .map((pair) => ({
      ...pair,
      matching_rows: pair.matching_rows === null ? null : Number(pair.matching_rows),
      applied: pair.decision === 'confirmed' || (pair.decision === null && pair.match === 'exact'),
    }))
    .toSorted((a, b) => Number(waits(b)) - Number(waits(a)))
}

/** Writes a person's decision and returns the pair. @throws MirrorError `no_such_row` for a pair that sync did not find. */
export async function decideLineage(
  mirror: Mirror,
  { older, newer, decision }: { older: string; newer: string; decision: 'confirmed' | 'rejected' },
): Promise<Lineage> {
  await mirror.transaction((db) =>
    db
      .updateTable('account_lineage')
      .set({ decision })
      .where('old_account_id', '=', older)
      .where('new_account_id', '=', newer)
      .execute(),
  )
  const found = (await listLineage(mirror)).find(
    ({ old_account_id, new_account_id }) => old_account_id === older && new_account_id === newer,
  )
  if (found !== undefined) return found
  throw new MirrorError(
    'no_such_row',
    `The mirror ${mirror.shown} does not have ${newer} as a successor of ${older}.`,
    'See the pairs: bankapi sync lineage list',
    { exit: 'notFound' },
  )
}
