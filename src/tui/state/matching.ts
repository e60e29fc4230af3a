/** Matches rows against filters and searches. */
import { type AnyRow, isDelivery, isResource } from './any-row.ts'
import {
  type DeliveryRow,
  forwardStateOf,
  forwardStates,
  hasFailed,
  verdictOf,
  verdicts,
} from './delivery-row.ts'
import type { Filter, ListName, State } from './model.ts'
import type { OperationRow } from './operation-row.ts'
import type { ResourceRow } from './resource-row.ts'

export interface FilterField {
  readonly name: 'type' | 'status' | 'verdict'
  /** The values to choose from, besides all. */
  readonly choices: readonly string[]
}

/** The fields a list can be filtered by, with the types of its rows. */
export function filterFields(state: State, list: ListName): readonly FilterField[] {
  const { rows } = state[list]
  const types = distinct(rows.map(({ type }) => type))
  if (list === 'resources') {
    const statuses = distinct(state.resources.rows.map(({ status }) => status))
    return [
      { name: 'type', choices: types },
      { name: 'status', choices: statuses },
    ]
  }
  return list === 'operations'
    ? [
        { name: 'type', choices: types },
        { name: 'status', choices: ['queued', 'succeeded', 'failed'] },
      ]
    : [
        { name: 'type', choices: types },
        { name: 'status', choices: forwardStates },
        { name: 'verdict', choices: verdicts },
      ]
}

function distinct(texts: readonly (string | undefined)[]): readonly string[] {
  return [...new Set(texts.filter((text) => text !== undefined))].sort()
}

/** The choice `by` steps further; before the first stands all, as undefined. */
export function nextChoice(
  { choices }: FilterField,
  current: string | undefined,
  by: number,
): string | undefined {
  const all = [undefined, ...choices]
  const at = Math.max(0, all.indexOf(current))
  return all[(at + by + all.length) % all.length]
}

/** Whether a list with this filter and search shows the row. */
export function passes({ filter, search }: { filter: Filter; search: string }, row: AnyRow): boolean {
  const { type, status, verdict, failed } = filter
  if (type !== undefined && row.type !== type) return false
  if (search !== '' && !matchesSearch(search, row)) return false
  if (isDelivery(row)) {
    if (status !== undefined && forwardStateOf(row) !== status) return false
    if (verdict !== undefined && verdictOf(row) !== verdict) return false
    return !failed || hasFailed(row)
  }
  if (status !== undefined && row.status !== status) return false
  return !failed || (isResource(row) ? row.failed : row.status === 'failed' || row.problem !== undefined)
}

/** Whether a search matches the row, ignoring case. */
function matchesSearch(search: string, row: AnyRow): boolean {
  const wanted = search.toLowerCase()
  return textsOf(row).some((text) => text?.toLowerCase().includes(wanted))
}

function textsOf(row: AnyRow): (string | undefined)[] {
  if (isResource(row)) return textsOfResource(row)
  return isDelivery(row) ? textsOfDelivery(row) : textsOfOperation(row)
}

function textsOfResource({ id, cells, clientId, connectionId }: ResourceRow): (string | undefined)[] {
  return [id, ...Object.values(cells), clientId, connectionId]
}

function textsOfOperation(row: OperationRow): (string | undefined)[] {
  return [row.id, row.type, row.subject, row.status, row.outcome]
}

function textsOfDelivery(row: DeliveryRow): (string | undefined)[] {
  const { forward } = row
  return [
    row.eventId,
    row.type,
    row.subject,
    ...row.mentions,
    verdictOf(row),
    row.reason?.replaceAll('_', ' '),
    row.reason,
    forward?.error,
    forward?.status === undefined ? undefined : String(forward.status),
  ]
}
