/** Matches rows against filters and searches. */
import { type DeliveryRow, forwardStateOf, forwardStates, verdictOf, verdicts } from './delivery-row.ts'
import type { Filter, ListName, State } from './model.ts'
import type { OperationRow } from './operation-row.ts'

export interface FilterField {
  readonly name: keyof Filter
  /** The values to choose from, besides all. */
  readonly choices: readonly string[]
}

/** The fields a list can be filtered by, with the types of its rows. */
export function filterFields(state: State, list: ListName): readonly FilterField[] {
  const { rows } = state[list]
  const types = [...new Set(rows.map(({ type }) => type).filter((type) => type !== undefined))].sort()
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

export function passesOperation({ type, status }: Filter, row: OperationRow): boolean {
  return (type === undefined || row.type === type) && (status === undefined || row.status === status)
}

export function passesDelivery({ type, status, verdict }: Filter, row: DeliveryRow): boolean {
  return (
    (type === undefined || row.type === type) &&
    (status === undefined || forwardStateOf(row) === status) &&
    (verdict === undefined || verdictOf(row) === verdict)
  )
}

/** Whether a search matches the row, ignoring case. */
export function matchesSearch(search: string, row: OperationRow | DeliveryRow): boolean {
  if (search === '') return false
  const texts = 'status' in row ? textsOfOperation(row) : textsOfDelivery(row)
  const wanted = search.toLowerCase()
  return texts.some((text) => text?.toLowerCase().includes(wanted))
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
    row.reason,
    forward?.error,
    forward?.status === undefined ? undefined : String(forward.status),
  ]
}
