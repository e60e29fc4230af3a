/** Reads what is listed whole: a Client's Connections and accounts, an account's statements and checks. */
import type { Account } from '../contract/accounts.ts'
import type { Check } from '../contract/checks.ts'
import type { Connection } from '../contract/connections.ts'
import type { Statement } from '../contract/statements.ts'
import { type Answer, proveGone } from './gone.ts'
import { byId, type ListedTable, mergeRows } from './listing.ts'
import type { MirrorTransaction, NewRow } from './mirror/mirror.ts'
import { moneyOf } from './money.ts'
import {
  accountRow,
  checkRow,
  cleaned,
  connectionRow,
  institutionRow,
  type Owner,
  statementRow,
} from './rows.ts'
import { type RunContext, timestamp } from './run-context.ts'
import { advance, completed, type StreamKey, takeStream } from './streams.ts'

interface Listed<T extends ListedTable, Item> {
  readonly table: T
  readonly key: StreamKey
  /** The column that names the subject of the stream. */
  readonly scope: 'client_id' | 'account_id'
  readonly read: () => Promise<readonly Item[]>
  readonly row: (item: Item) => NewRow<T>
  readonly ask: (id: string) => Promise<Answer<Item>>
  /** More to write for the rows that are new or changed, in the same transaction. */
  readonly also?: (
    db: MirrorTransaction,
    written: readonly NewRow<T>[],
    items: readonly Item[],
  ) => Promise<void>
}

/** Reads a listing to its end and brings its table up to it, in one transaction with the stream. Returns the items. */
async function syncListed<T extends ListedTable, Item extends { readonly id: string }>(
  context: RunContext,
  { table, key, scope, read, row, ask, also }: Listed<T, Item>,
): Promise<readonly Item[]> {
  const { mirror, counts } = context
  const count = counts.of(table as Exclude<ListedTable, 'institutions'>)
  const stream = await takeStream(context, key)
  const items = [...byId((await read()).map(cleaned)).values()]
  const rows = items.map(row)
  // The tables of what is listed have these columns in common, which Kysely cannot know of a table that is a parameter.
  const common = table as 'accounts'
  const live = await mirror.db
    .selectFrom(common)
    .select(['id', 'fingerprint', 'gone_at', 'missing_since'])
    .where(scope as 'client_id', '=', key.subject)
    .execute()
  const stored = byId(live)
  const listed = new Set(items.map(({ id }) => id))
  const present = live.filter(({ gone_at }) => gone_at === null)
  const { gone, there } = await proveGone(
    context,
    present.filter(({ id }) => !listed.has(id)),
    { live: present.length, what: `${table} of ${key.subject}`, ask: ({ id }) => ask(id) },
  )
  await mirror.transaction(async (db) => {
    const now = timestamp(context)
    const written = await mergeRows(context, db, { table, rows, stored, counts: count })
    await also?.(db, written, items)
    const mark = (id: string, changes: NewRow<'accounts'>) =>
      db
        .updateTable(common)
        .set(changes)
        .where(scope as 'client_id', '=', key.subject)
        .where('id', '=', id)
        .execute()
    for (const { row: missing } of there) {
      await mark(missing.id, { missing_since: missing.missing_since ?? now })
    }
    for (const { row: missing, because } of gone) {
      await mark(missing.id, { gone_at: now, gone_reason: because, changed_at: now, missing_since: null })
      count.gone += 1
    }
    await advance(context, db, stream, completed(context))
  })
  return items
}

export async function syncConnections(
  context: RunContext,
  clientId: string,
  connections: readonly Connection[] | undefined,
): Promise<readonly Connection[]> {
  const { reader, mirror } = context
  const { api } = reader
  return syncListed(context, {
    table: 'connections',
    key: { kind: 'connections', subject: clientId, clientId },
    scope: 'client_id',
    read: async () => connections ?? (await reader.all(api.connections.list, { client_id: clientId })),
    row: (connection) => connectionRow(connection, clientId),
    ask: async (id) =>
      answer(await reader.byId((options) => api.connections.get({ connection_id: id }, options))),
    also: async (db, written, items) => {
      const now = timestamp(context)
      const institutions = [
        ...byId(items.map(institutionRow) as { id: string }[]).values(),
      ] as NewRow<'institutions'>[]
      const stored = await db
        .selectFrom('institutions')
        .select(['id', 'fingerprint', 'gone_at', 'missing_since'])
        .where(
          'id',
          'in',
          institutions.map(({ id }) => id ?? ''),
        )
        .execute()
      await mergeRows(context, db, { table: 'institutions', rows: institutions, stored: byId(stored) })
      for (const { id = '', status = null, last_error_code = null } of written) {
        const last = await db
          .selectFrom('connection_events')
          .select(['status', 'error_code'])
          .where('connection_id', '=', id)
          .orderBy('changed_at', 'desc')
          .limit(1)
          .executeTakeFirst()
        if (last !== undefined && last.status === status && last.error_code === last_error_code) continue
        await mirror.put(db, 'connection_events', [
          {
            connection_id: id,
            changed_at: now,
            client_id: clientId,
            previous_status: last?.status ?? null,
            status,
            error_code: last_error_code,
          },
        ])
      }
    },
  })
}

export async function syncAccounts(context: RunContext, clientId: string): Promise<readonly Account[]> {
  const { reader, mirror } = context
  const { api } = reader
  return syncListed(context, {
    table: 'accounts',
    key: { kind: 'accounts', subject: clientId, clientId },
    scope: 'client_id',
    read: () => reader.all(api.accounts.list, { client_id: clientId }),
    row: (account) => accountRow(account, clientId),
    ask: async (id) =>
      answer(
        await reader.byId((options) => api.accounts.get({ account_id: id, client_id: clientId }, options)),
      ),
    also: async (db, written) => {
      const now = timestamp(context)
      for (const {
        id = '',
        iso_currency_code = null,
        current_balance = null,
        available_balance = null,
      } of written) {
        const last = await db
          .selectFrom('account_balances')
          .select(['current_balance', 'available_balance'])
          .where('account_id', '=', id)
          .orderBy('changed_at', 'desc')
          .limit(1)
          .executeTakeFirst()
        if (current_balance === null && available_balance === null && last === undefined) continue
        const same = (a: string | null | undefined, b: string | null) =>
          (a === null ? null : Number(a)) === (b === null ? null : Number(b))
        if (
          last !== undefined &&
          same(last.current_balance, current_balance) &&
          same(last.available_balance, available_balance)
        ) {
          continue
        }
        const current = moneyOf(numberOf(current_balance), iso_currency_code)
        const available = moneyOf(numberOf(available_balance), iso_currency_code)
        const exponent = Math.max(current?.exponent ?? 0, available?.exponent ?? 0)
        const minor = (money: typeof current) =>
          money === undefined ? null : money.minor * 10 ** (exponent - money.exponent)
        await mirror.put(db, 'account_balances', [
          {
            account_id: id,
            changed_at: now,
            client_id: clientId,
            iso_currency_code,
            current_balance,
            current_balance_minor: minor(current),
            available_balance,
            available_balance_minor: minor(available),
            amount_exponent: exponent,
          },
        ])
      }
    },
  })
}

export async function syncStatements(context: RunContext, owner: Owner): Promise<readonly Statement[]> {
  const { reader } = context
  const { account_id, client_id } = owner
  const { statements } = reader.api
  return syncListed(context, {
    table: 'statements',
    key: { kind: 'statements', subject: account_id, clientId: client_id },
    scope: 'account_id',
    read: () => reader.all(statements.list, { account_id, client_id }),
    row: (statement) => statementRow(statement, owner),
    ask: async (id) =>
      answer(await reader.byId((options) => statements.get({ statement_id: id, client_id }, options))),
  })
}

export async function syncChecks(
  context: RunContext,
  owner: Owner,
  currency: string | null,
): Promise<readonly Check[]> {
  const { reader } = context
  const { account_id, client_id } = owner
  const { checks } = reader.api
  return syncListed(context, {
    table: 'checks',
    key: { kind: 'checks', subject: account_id, clientId: client_id },
    scope: 'account_id',
    read: () => reader.all(checks.list, { account_id, client_id }),
    row: (check) => checkRow(check, owner, currency),
    ask: async (id) =>
      answer(await reader.byId((options) => checks.get({ account_id, check_id: id, client_id }, options))),
  })
}

function answer<T>(item: T | undefined): Answer<T> {
  return item === undefined ? { is: 'not_found' } : { is: 'there', item }
}

function numberOf(amount: string | null): number | null {
  return amount === null ? null : Number(amount)
}
