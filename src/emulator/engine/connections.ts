/** Connections: changes of status with their events, and their form on the wire. */
import type { Connection } from '../../contract/connections.ts'
import type { ApiError, KnownErrorCode } from '../../contract/errors.ts'
import { type InstitutionBehaviour, lockedBehaviour, ordinaryBehaviour } from '../institutions/behaviour.ts'
import { type CatalogInstitution, findInstitution } from '../institutions/catalog.ts'
import type { ConnectionRow } from '../store/connections.ts'
import { expectedCapabilities, realized, type TrackedCapabilities } from './capabilities.ts'
import { type ConnectionTrigger, type StatusChange, transition } from './connection-status.ts'
import { type Engine, isoNow } from './engine.ts'
import { apiError, type ErrorDetails } from './errors.ts'
import { emit } from './events.ts'
import { scheduleDailyRefresh } from './schedule.ts'

/** Reads a Connection again after a change. Throws when it is gone: Connections are never removed. */
export function connectionAt({ store }: Pick<Engine, 'store'>, seq: number): ConnectionRow {
  const row = store.connections.bySeq(seq)
  if (!row) throw new Error(`no connection ${seq}`)
  return row
}

/** Its entry in the catalog. Throws when a stored id has none: the catalog only grows. */
export function institutionOf({ institution_id }: Pick<ConnectionRow, 'institution_id'>): CatalogInstitution {
  const institution = findInstitution(institution_id)
  if (!institution) throw new Error(`no institution ${institution_id}`)
  return institution
}

type Behaving = Pick<ConnectionRow, 'institution_id' | 'recovered' | 'locked'>

/** The behaviour of its institution; an ordinary one once it has recovered. Any bank can have locked the account. */
export function behaviourOf(row: Behaving): InstitutionBehaviour {
  const behaviour = row.recovered === 1 ? ordinaryBehaviour : institutionOf(row).behaviour
  return row.locked === 1 ? { ...behaviour, ...lockedBehaviour } : behaviour
}

/** The id on the wire: the placeholder until it reached active, except for FDE. */
function publicId({ reached_active, placeholder_id, id }: ConnectionRow): string {
  return reached_active === 1 ? id : (placeholder_id ?? id)
}

export function trackedOf({ capabilities }: Pick<ConnectionRow, 'capabilities'>): TrackedCapabilities {
  return JSON.parse(capabilities) as TrackedCapabilities
}

/** The code of its `last_error`, if it has one. */
export function errorCodeOf({ last_error }: Pick<ConnectionRow, 'last_error'>): string | undefined {
  return last_error ? (JSON.parse(last_error) as ApiError).code : undefined
}

/** An Error object that links to this emulator's own page about the code, with the trace id of the work that met it. */
export function errorFor(
  engine: Engine,
  code: KnownErrorCode,
  message?: string,
  details?: ErrorDetails,
): ApiError {
  return { ...apiError(engine.origins.sandbox, code, message, details), trace_id: engine.traceId() }
}

/** A session of the user has its outcome told, whatever the status was. */
const outcomesOfSessions: readonly ConnectionTrigger[] = ['reauthorized', 'reauthorize_failed']

/**
 * Moves a Connection along a row of the status table, with the row's event. False, and nothing done, where the table
 * has no such row, or the Connection was deleted. `error` becomes its `last_error`; without one the last error is gone.
 * What leads to the status and the code that it has already is no change, and has no event.
 */
export function changeStatus(
  engine: Engine,
  connection: ConnectionRow,
  trigger: ConnectionTrigger,
  error?: ApiError,
): boolean {
  const row = transition(trigger, connection.status, connection.source)
  if (!row || connection.deleted === 1) return false
  // A link becomes active with its accounts, when the user finishes the widget.
  if (row.to === 'active' && connection.reached_active === 0 && trigger !== 'widget_finished') return false
  const same = row.to === connection.status && error?.code === errorCodeOf(connection)
  if (same && !outcomesOfSessions.includes(trigger)) return true
  engine.store.connections.change(connection.seq, {
    status: row.to,
    updated_at: isoNow(engine),
    last_error: error ? JSON.stringify(error) : null,
    ...(row.to === 'active' ? { reached_active: 1, locked: 0 } : {}),
    ...(trigger === 'account_locked' ? { locked: 1 } : {}),
  })
  // It had none while it was disconnected.
  if (connection.status === 'disconnected') scheduleDailyRefresh(engine, connection.seq)
  if (row.event) {
    const changed = connectionAt(engine, connection.seq)
    const data = { connection: { ...eventConnection(changed), ...(error ? { last_error: error } : {}) } }
    emit(engine, connection.tenant, row.event, data)
  }
  return true
}

/** The caller deletes it: final, whatever its status. One whose access has ended already tells nothing more. */
export function deleteConnection(engine: Engine, connection: ConnectionRow): void {
  changeStatus(engine, connection, 'deleted')
  engine.store.connections.change(connection.seq, { deleted: 1 })
}

/** The same as `changeStatus` for a change named with its error code. */
export function applyStatusChange(
  engine: Engine,
  connection: ConnectionRow,
  { trigger, error }: StatusChange,
): boolean {
  return changeStatus(engine, connection, trigger, error && errorFor(engine, error))
}

/** `data.connection` of an event. */
export function eventConnection(row: ConnectionRow) {
  return { id: publicId(row), source: row.source, status: row.status, client_id: row.client_id }
}

/** As GET shows it. */
export function connectionOnWire(row: ConnectionRow): Connection {
  const { id, name, logo_url, requires_desktop_app } = institutionOf(row)
  return {
    id: publicId(row),
    client_id: row.client_id,
    source: row.source,
    status: row.status,
    created_at: row.created_at,
    updated_at: row.updated_at,
    last_refreshed_at: row.last_refreshed_at,
    institution: { id, name, logo_url },
    ...(row.last_error ? { last_error: JSON.parse(row.last_error) as ApiError } : {}),
    expected_capabilities: expectedCapabilities(row.source),
    realized_capabilities: realized(row.capabilities),
    ...(row.source === 'FDE' && requires_desktop_app !== undefined ? { requires_desktop_app } : {}),
  }
}
