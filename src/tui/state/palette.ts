/** The views that `:` offers, and those that fit what was typed. */
import type { ListName } from './model.ts'
import type { ResourceKind } from './resource-row.ts'

export interface ViewChoice {
  readonly name: Exclude<ListName, 'resources'> | ResourceKind
  readonly shows: string
}

const viewChoices: readonly ViewChoice[] = [
  { name: 'operations', shows: 'what was started, and how far it is' },
  { name: 'deliveries', shows: 'webhooks, and what the target answered' },
  { name: 'clients', shows: 'your end-users' },
  { name: 'connections', shows: 'their banks, and which need somebody' },
  { name: 'accounts', shows: 'with balances' },
  { name: 'transactions', shows: 'of one account, with its balance over time' },
]

/** Those that begin with the text, then those that contain it. */
export function viewsMatching(typed: string): readonly ViewChoice[] {
  const wanted = typed.trim().toLowerCase()
  const begins = viewChoices.filter(({ name }) => name.startsWith(wanted))
  return [...begins, ...viewChoices.filter((one) => !begins.includes(one) && one.name.includes(wanted))]
}
