/** What the console offers to make happen to a Connection. */
import type { TriggerOrder } from '../control/trigger-order.ts'
import { behaviourOf } from '../engine/connections.ts'
import type { ConnectionRow } from '../store/connections.ts'

export interface Offer {
  /** In the form: it names the offer, and nothing else is taken from there. */
  readonly name: string
  /** What happens, as the bank or the user would do it. */
  readonly label: string
  readonly order: Pick<TriggerOrder, 'type' | 'code'>
}

type Status = ConnectionRow['status']

const offers: readonly (Offer & { readonly from: readonly Status[] })[] = [
  {
    name: 'finish',
    label: 'The user finishes the widget',
    order: { type: 'connection.active' },
    from: ['initiated', 'requires_action'],
  },
  {
    name: 'sign-in-again',
    label: 'The user signs in again',
    order: { type: 'connection.active' },
    from: ['requires_action', 'failed', 'disconnected'],
  },
  {
    name: 'recover',
    label: 'The bank works again',
    order: { type: 'bank.recovered' },
    from: ['requires_action', 'failed'],
  },
  {
    name: 'reject',
    label: 'The password is wrong',
    order: { type: 'connection.requires_action' },
    from: ['active', 'failed'],
  },
  {
    name: 'lock',
    label: 'The bank locks the account',
    order: { type: 'connection.requires_action', code: 'account_locked_by_institution' },
    from: ['active'],
  },
  { name: 'outage', label: 'The bank is down', order: { type: 'connection.failed' }, from: ['active'] },
  {
    name: 'stop',
    label: 'The source disconnects',
    order: { type: 'connection.disconnected' },
    from: ['active', 'requires_action', 'failed'],
  },
  {
    name: 'refresh',
    label: 'A refresh completes',
    order: { type: 'account.refresh.completed' },
    from: ['active'],
  },
  {
    name: 'refresh-fails',
    label: 'A refresh fails',
    order: { type: 'account.refresh.failed' },
    from: ['active'],
  },
  {
    name: 'settle',
    label: 'A pending charge settles',
    order: { type: 'transaction.settled' },
    from: ['active'],
  },
  {
    name: 'statement',
    label: 'A statement is made',
    order: { type: 'statement.available' },
    from: ['active'],
  },
  {
    name: 'capability',
    label: 'A capability changes',
    order: { type: 'connection.capability_changed' },
    from: ['active'],
  },
  {
    name: 'open-account',
    label: 'The user opens an account',
    order: { type: 'account.opened' },
    from: ['active'],
  },
]

/** What can be tried with a Connection in its present state. Whether it can be is for the engine to say. */
export function offersFor(
  row: Pick<ConnectionRow, 'status' | 'reached_active' | 'institution_id' | 'recovered' | 'locked'>,
): readonly Offer[] {
  // Before the user has finished the widget, the bank can only stop refusing the sign-in.
  const refuses = behaviourOf(row).signInRefusal !== undefined
  const fits = (name: string) =>
    row.reached_active === 1 ? name !== 'finish' : name === 'finish' || (name === 'recover' && refuses)
  return offers.filter(({ name, from }) => from.includes(row.status) && fits(name))
}

export function offerNamed(name: string): Offer | undefined {
  return offers.find((offer) => offer.name === name)
}
