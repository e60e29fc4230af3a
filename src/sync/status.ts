/** How fresh a mirror is: per kind of stream and per Client, what is complete since when, and what fails. */
import { type RawBuilder, sql } from 'kysely'
import { type DeadLetter, deadLetters } from './jobs/dead-letters.ts'
import type { Mirror } from './mirror/mirror.ts'
import { dayMs, type Kind, kinds } from './run-context.ts'

/**
 * `failing`: the last reading of a stream failed. `unfinished`: something was never read to its end. `stale`: something is older
 * than the age that was asked for. `missing_scope`: the key may not read the kind; of a Client and of the whole, that kind is
 * the transactions, as statements and checks are commonly left out.
 */
export type Freshness = 'fresh' | 'failing' | 'unfinished' | 'stale' | 'missing_scope'

interface Age {
  readonly state: Freshness
  /** When the oldest of its complete readings was committed; null when there is none. */
  readonly complete_since: string | null
  readonly behind_seconds: number | null
}

export interface KindStatus extends Age {
  readonly kind: Kind
  /** What is there: without what is gone. */
  readonly rows: number
  readonly streams: number
  readonly failing: number
}

export interface ClientStatus extends Age {
  readonly client_id: string
  readonly external_id: string | null
  readonly name: string | null
  /** Of its transactions. */
  readonly rows: number
  readonly failing: readonly StreamTrouble[]
}

export interface StreamTrouble {
  readonly kind: string
  /** The Client or account; empty for the list of Clients. */
  readonly subject: string
  readonly code: string
  readonly message: string
  readonly failures: number
}

export interface SyncStatus {
  readonly mirror: string
  readonly environment: string | null
  readonly base_url: string | null
  readonly state: Freshness
  readonly max_age_seconds: number | null
  readonly last_run: {
    readonly mode: string | null
    readonly started_at: string
    readonly ended_at: string | null
    readonly outcome: string | null
  } | null
  readonly kinds: readonly KindStatus[]
  /** The worst first. */
  readonly clients: readonly ClientStatus[]
  readonly has_more: boolean
  /** What fails of the list of Clients itself. */
  readonly failing: readonly StreamTrouble[]
  /** Clients that no worker takes until the next run lists them. */
  readonly dead_letters: readonly DeadLetter[]
}

export interface StatusOptions {
  /** Unix ms. */
  readonly now: number
  /** What is older is stale; nothing is when absent. */
  readonly maxAgeMs?: number | undefined
  /** Clients at most. */
  readonly limit: number
}

/** Statements and checks are read once a day: they may be so much older than the rest. */
const DAILY = sql`('statements', 'checks')`

interface Problems {
  failing: number | string | null
  unfinished: number | string | null
  stale: number | string | null
}

/** Rejects with MirrorError. It only reads. */
export async function mirrorStatus(
  mirror: Mirror,
  { now, maxAgeMs, limit }: StatusOptions,
): Promise<SyncStatus> {
  const { db } = mirror
  const marks = new Map(
    (await db.selectFrom('mirror').selectAll().execute()).map(({ name, value }) => [name, value]),
  )
  const missing = await missingScopes(mirror)
  const before = (age: number) =>
    maxAgeMs === undefined ? new Date(0).toISOString() : new Date(now - age).toISOString()
  const stale = sql`(
    (s.kind NOT IN ${DAILY} AND s.complete_at < ${before(maxAgeMs ?? 0)})
    OR (s.kind IN ${DAILY} AND s.complete_at < ${before((maxAgeMs ?? 0) + dayMs)}))`
  const age = (complete: string | null) => {
    const at = complete === null ? null : Date.parse(complete)
    return {
      complete_since: at === null ? null : new Date(at).toISOString(),
      behind_seconds: at === null ? null : Math.max(0, Math.round((now - at) / 1000)),
    }
  }

  const perKind = new Map<string, Problems & { streams: number | string; complete_since: string | null }>()
  for (const { kind, ...found } of await rows<
    Problems & { kind: string; streams: number | string; complete_since: string | null }
  >(
    mirror,
    sql`SELECT s.kind, count(*) AS streams, ${count(sql`s.error_code IS NOT NULL`)} AS failing,
               ${count(sql`s.complete_at IS NULL`)} AS unfinished, ${count(stale)} AS stale,
               min(s.complete_at) AS complete_since
        FROM ${liveStreams} GROUP BY s.kind`,
  )) {
    perKind.set(kind, found)
  }
  const kindStatus: KindStatus[] = []
  for (const kind of kinds) {
    const found = perKind.get(kind)
    const [clients] = kindStatus
    // Without a single Client nothing says that there is none of the others.
    const unknown = clients === undefined || (clients.rows === 0 && clients.state !== 'fresh')
    const problems = found ?? { failing: 0, unfinished: unknown ? 1 : 0, stale: 0 }
    const { rows: there } = await db
      .selectFrom(kind)
      .select((is) => is.fn.countAll<number | string>().as('rows'))
      .where('gone_at', 'is', null)
      .executeTakeFirstOrThrow()
    kindStatus.push({
      kind,
      state: missing.has(kind) ? 'missing_scope' : stateOf(problems),
      rows: Number(there),
      streams: Number(found?.streams ?? 0),
      ...age(found?.complete_since ?? null),
      failing: Number(problems.failing),
    })
  }

  // Every run was for Clients that were chosen: nobody asked for the list of all of them.
  const onlyChosen = kindStatus.some(
    ({ kind, streams, rows: there }) => kind === 'clients' && streams === 0 && there > 0,
  )
  // A Client that was listed and no more is unfinished; so is one with an account that no walk has begun.
  const unread = missing.has('transactions')
  const walks = perKind.has('transactions') && !unread
  const everyClient = sql`
    SELECT c.id AS client_id, c.external_id, c.name, p.complete_since, coalesce(p.failing, 0) AS failing,
           coalesce(p.stale, 0) AS stale,
           CASE WHEN coalesce(p.unfinished, 0) > 0 OR coalesce(p.listings, 0) < 2
                  OR (${walks ? 1 : 0} = 1 AND coalesce(p.walks, 0) < coalesce(a.accounts, 0)) THEN 1 ELSE 0 END AS unfinished
    FROM clients AS c
    LEFT JOIN (
      SELECT s.client_id, ${count(sql`s.error_code IS NOT NULL`)} AS failing, ${count(sql`s.complete_at IS NULL`)} AS unfinished,
             ${count(stale)} AS stale, ${count(sql`s.kind IN ('connections', 'accounts')`)} AS listings,
             ${count(sql`s.kind = 'transactions'`)} AS walks, min(s.complete_at) AS complete_since
      FROM ${liveStreams} AND s.client_id IS NOT NULL AND s.kind NOT IN (${sql.join([...missing, ''])})
      GROUP BY s.client_id
    ) AS p ON p.client_id = c.id
    LEFT JOIN (
      SELECT client_id, count(*) AS accounts FROM accounts WHERE gone_at IS NULL GROUP BY client_id
    ) AS a ON a.client_id = c.id
    WHERE c.gone_at IS NULL`
  const listed = await rows<
    Problems & {
      client_id: string
      external_id: string | null
      name: string | null
      complete_since: string | null
      rows: number | string
    }
  >(
    mirror,
    sql`SELECT e.*, (
          SELECT count(*) FROM accounts AS a JOIN transactions AS t ON t.account_id = a.id
          WHERE a.client_id = e.client_id AND t.gone_at IS NULL
        ) AS rows
        FROM (${everyClient}) AS e
        ORDER BY e.failing DESC, e.unfinished DESC, e.complete_since, e.client_id LIMIT ${limit + 1}`,
  )
  const [all] = await rows<Problems>(
    mirror,
    sql`SELECT sum(e.failing) AS failing, sum(e.unfinished) AS unfinished, sum(e.stale) AS stale FROM (${everyClient}) AS e`,
  )
  const troubles = await troublesOf(
    mirror,
    listed.map(({ client_id }) => client_id),
  )
  const last = await db
    .selectFrom('runs')
    .select(['mode', 'started_at', 'ended_at', 'outcome'])
    .orderBy('started_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  const letters = await deadLetters(mirror)
  const iso = (time: string | null) => (time === null ? null : new Date(time).toISOString())
  return {
    mirror: mirror.shown,
    environment: marks.get('environment') ?? null,
    base_url: marks.get('base_url') ?? null,
    state: worst([
      ...kindStatus
        .filter(({ kind, state }) => state !== 'missing_scope' && (kind !== 'clients' || !onlyChosen))
        .map(({ state }) => state),
      stateOf(all),
      ...(unread && listed.length > 0 ? ['missing_scope' as const] : []),
      ...(letters.length > 0 ? ['failing' as const] : []),
    ]),
    max_age_seconds: maxAgeMs === undefined ? null : Math.round(maxAgeMs / 1000),
    last_run:
      last === undefined
        ? null
        : {
            mode: last.mode,
            started_at: iso(last.started_at) as string,
            ended_at: iso(last.ended_at),
            outcome: last.outcome,
          },
    kinds: kindStatus,
    clients: listed.slice(0, limit).map(({ client_id, external_id, name, ...one }) => ({
      client_id,
      external_id,
      name,
      state: unread && stateOf(one) === 'fresh' ? 'missing_scope' : stateOf(one),
      rows: Number(one.rows),
      ...age(one.complete_since),
      failing: troubles.get(client_id) ?? [],
    })),
    has_more: listed.length > limit,
    failing: troubles.get('') ?? [],
    dead_letters: letters,
  }
}

/** The streams of what is still there. */
const liveStreams = sql`streams AS s
  LEFT JOIN clients AS c ON c.id = s.client_id
  LEFT JOIN accounts AS a ON a.id = s.subject AND s.kind IN ('transactions', 'statements', 'checks')
  WHERE c.gone_at IS NULL AND a.gone_at IS NULL`

function count(condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`sum(CASE WHEN ${condition} THEN 1 ELSE 0 END)`
}

async function rows<R>({ db }: Mirror, query: RawBuilder<unknown>): Promise<readonly R[]> {
  return (await (query as RawBuilder<R>).execute(db)).rows
}

/** The kinds that the last run to its end had no scope for. */
async function missingScopes({ db }: Mirror): Promise<ReadonlySet<string>> {
  const run = await db
    .selectFrom('runs')
    .select('summary')
    .where('summary', 'is not', null)
    .orderBy('started_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  const { missing_scopes: missing = [] } = JSON.parse(run?.summary ?? '{}') as {
    missing_scopes?: readonly { readonly kind: string }[]
  }
  return new Set(missing.map(({ kind }) => kind))
}

/** What fails, by Client; of the list of Clients itself under the empty name. */
async function troublesOf({ db }: Mirror, clients: readonly string[]): Promise<Map<string, StreamTrouble[]>> {
  const failing = await db
    .selectFrom('streams')
    .select(['kind', 'subject', 'client_id', 'error_code', 'error_message', 'failures'])
    .where('error_code', 'is not', null)
    .where((is) => is.or([is('client_id', 'is', null), is('client_id', 'in', ['', ...clients])]))
    .orderBy('kind')
    .orderBy('subject')
    .execute()
  const found = new Map<string, StreamTrouble[]>()
  for (const { client_id, kind, subject, error_code, error_message, failures } of failing) {
    const trouble = { kind, subject, code: error_code ?? '', message: error_message ?? '', failures }
    found.set(client_id ?? '', [...(found.get(client_id ?? '') ?? []), trouble])
  }
  return found
}

function stateOf(problems: Problems | undefined): Freshness {
  if (Number(problems?.failing ?? 0) > 0) return 'failing'
  if (Number(problems?.unfinished ?? 0) > 0) return 'unfinished'
  return Number(problems?.stale ?? 0) > 0 ? 'stale' : 'fresh'
}

function worst(states: readonly Freshness[]): Freshness {
  return (
    (['failing', 'unfinished', 'stale', 'missing_scope'] as const).find((state) => states.includes(state)) ??
    'fresh'
  )
}
