/** Links a bank: widget URL, first signal, completion by the user, accounts. */
import type { AccountSeed } from '../catalog/seed-rows.ts'
import type { CatalogInstitution } from '../institutions/catalog.ts'
import type { ConnectionRow } from '../store/connections.ts'
import type { ClientRow } from '../store/customers.ts'
import type { OperationRow } from '../store/operations.ts'
import { accountsAtBank, storeAccount } from './accounts.ts'
import { firstCapabilities } from './capabilities.ts'
import {
  applyStatusChange,
  behaviourOf,
  changeStatus,
  connectionAt,
  connectionOnWire,
} from './connections.ts'
import { type Engine, isoNow, tenantOf } from './engine.ts'
import { queueOperation, succeed } from './operations.ts'
import { scheduleDailyRefresh } from './schedule.ts'
import { announceStatement } from './statements.ts'

export interface NewLink {
  readonly tenant: number
  readonly client: Pick<ClientRow, 'seq'>
  readonly institution: CatalogInstitution
  readonly redirectUrl: string | null
}

/** Accepts `POST /clients/{client_id}/connections`. */
export function initiate(engine: Engine, link: NewLink): OperationRow {
  const connection = addConnection(engine, link)
  const operation = queueOperation(engine, link.tenant, 'connection.initiate', connection)
  engine.schedule.add(engine.settings.widgetMs, {
    kind: 'issue_widget',
    connection,
    operation: operation.seq,
  })
  return operation
}

/** A link begun on a hosted page: the widget opens at once, there is no operation. Returns the widget's token. */
export function initiateOnPage(engine: Engine, link: NewLink): string {
  const connection = addConnection(engine, link)
  return issueWidget(engine, connection)
}

function addConnection(engine: Engine, { tenant, client, institution, redirectUrl }: NewLink): number {
  const { store, ids } = engine
  const { id: institution_id, source } = institution
  const bank_account_id = String(10_000 + ids.number('bank-account'))
  const now = isoNow(engine)
  return store.connections.add({
    tenant,
    client: client.seq,
    // FDE returns the canonical id directly.
    placeholder_id: source === 'FDE' ? null : `con_${ids.uuid('placeholder')}`,
    id: `con_${source}_${bank_account_id}`,
    institution_id,
    source,
    status: 'initiated',
    reached_active: 0,
    created_at: now,
    updated_at: now,
    last_refreshed_at: null,
    last_error: null,
    capabilities: JSON.stringify(firstCapabilities(source)),
    widget_token: null,
    redirect_url: redirectUrl,
    bank_account_id,
    syncs: 0,
    recovered: 0,
    unshared_accounts: 0,
  })
}

/** Job: the widget URL is issued, which ends the operation. Its result is a snapshot and never rewritten. */
export function issueWidgetFor(engine: Engine, connection: number, operation: number): void {
  const token = issueWidget(engine, connection)
  const row = connectionAt(engine, connection)
  const widget_url = widgetUrl(engine, row, token)
  succeed(engine, operation, {
    kind: 'connection',
    connection: { ...connectionOnWire(row), action: { widget_url }, _debug: { source_used: row.source } },
  })
}

function issueWidget(engine: Engine, connection: number): string {
  const { store, ids, schedule, settings } = engine
  const widget_token = ids.secret('widget', 40)
  store.connections.change(connection, { widget_token })
  schedule.add(settings.firstSignalMs, { kind: 'first_signal', connection })
  if (settings.autoLinkMs !== undefined)
    schedule.add(settings.autoLinkMs, { kind: 'finish_widget', connection })
  return widget_token
}

/** The address at which the user signs in. */
function widgetUrl(engine: Engine, { tenant }: Pick<ConnectionRow, 'tenant'>, token: string): string {
  return `${engine.origins[tenantOf(engine, tenant).environment]}/widget/${token}`
}

/** Job: the first signal after a link is issued. Too late when the user was quicker. */
export function firstSignal(engine: Engine, connection: number): void {
  changeStatus(engine, connectionAt(engine, connection), 'first_signal')
}

/** Job: the change of status that the institution's behaviour has shortly after the link. */
export function changeAfterLinking(engine: Engine, connection: number): void {
  const row = connectionAt(engine, connection)
  const { afterLinking } = behaviourOf(row)
  // Access may have ended in between.
  if (afterLinking && row.status !== 'disconnected') applyStatusChange(engine, row, afterLinking)
}

/** The bank refuses the user's sign-in in the widget: the change that its behaviour has after a link comes now, and no link. */
export function refuseSignIn(engine: Engine, connection: number): void {
  // The first event of every new link is requires_action, however quick the user is.
  if (connectionAt(engine, connection).status === 'initiated') firstSignal(engine, connection)
  changeAfterLinking(engine, connection)
}

/** It ended before the user had finished: the status table leads from there to active by no widget. */
export function isLinkOver({ reached_active, status }: ConnectionRow): boolean {
  return reached_active === 0 && (status === 'failed' || status === 'disconnected')
}

/**
 * The user finishes the widget and the source calls back: accounts, the canonical id, `connection.active`. `share` gives
 * the accounts that the user chose; by default all that are at the bank.
 */
export function finishWidget(
  engine: Engine,
  connection: number,
  share: (row: ConnectionRow) => AccountSeed[] = (row) => accountsAtBank(engine, row),
): ConnectionRow {
  const before = connectionAt(engine, connection)
  if (before.reached_active === 1 || isLinkOver(before)) return before
  // The first event of every new link is requires_action, however quick the user is.
  if (before.status === 'initiated') firstSignal(engine, connection)
  const row = connectionAt(engine, connection)
  storeLinkedAccounts(engine, row, share(row))
  changeStatus(engine, connectionAt(engine, connection), 'widget_finished')
  engine.schedule.add(engine.settings.afterLinkingMs, { kind: 'after_linking', connection })
  scheduleDailyRefresh(engine, connection)
  return connectionAt(engine, connection)
}

function storeLinkedAccounts(engine: Engine, row: ConnectionRow, seeds: readonly AccountSeed[]): void {
  const now = isoNow(engine)
  for (const seed of seeds) {
    storeAccount(engine, { tenant: row.tenant, client: row.client, connection: row.seq }, seed, () => now)
  }
  engine.store.connections.change(row.seq, {
    last_refreshed_at: now,
    capabilities: JSON.stringify(firstCapabilities(row.source, now)),
  })
  for (const statement of seeds.flatMap(({ statements }) => statements)) {
    announceStatement(engine, row.tenant, row.client_id, statement)
  }
}
