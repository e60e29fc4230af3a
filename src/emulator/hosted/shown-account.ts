/** Puts an account in the words of the hosted pages. */
import type { ShownAccount } from '../pages/widget-pages.ts'
import type { AccountRow } from '../store/accounts.ts'

type Described = Pick<
  AccountRow,
  'id' | 'name' | 'subtype' | 'mask' | 'current_balance' | 'iso_currency_code'
>

export function shownAccount(account: Described): ShownAccount {
  const { id, name, subtype, mask, current_balance: balance, iso_currency_code: currency } = account
  const words = subtype.replaceAll('_', ' ')
  return {
    id,
    name: name ?? 'Account',
    kind: words.length < 4 ? words.toUpperCase() : words.charAt(0).toUpperCase() + words.slice(1),
    mask,
    balance: balance === null ? null : money(balance, currency),
  }
}

function money(amount: number, currency: string): string {
  return new Intl.NumberFormat('en', { style: 'currency', currency }).format(amount).replace('-', '−')
}
