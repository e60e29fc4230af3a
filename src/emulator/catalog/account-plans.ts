/** Plans of accounts before they have a history. The type follows from the subtype, as the reference collapses it. */
import type { AccountType } from '../../contract/accounts.ts'

export interface AccountPlan {
  readonly name: string
  readonly subtype: string
  /** At most 4 digits, or null when the bank gave no number. */
  readonly mask: string | null
  /** `current_balance` at the end of the history, in major units, signed from the holder's view. */
  readonly balance: number
  readonly currency?: string
  /** Whether the source reports `available_balance`: AGGREGATOR_B only, and not for every account. */
  readonly available?: boolean
  /** Of a liability account: how much the bank says about its terms. Nothing unless said. */
  readonly terms?: 'full' | 'partial'
  /** In major units; of a card or a line of credit. */
  readonly creditLimit?: number
  /** At least this many card purchases are still pending; the aggregators only. */
  readonly pendingCharges?: number
  /** Whether checks are written on it; FDE only. */
  readonly checks?: boolean
}

const typeBySubtype = new Map<string, AccountType>(
  Object.entries({
    checking: 'checking',
    bank: 'checking',
    savings: 'savings',
    money_market: 'savings',
    certificate_of_deposit: 'savings',
    credit_card: 'credit_card',
    loan: 'loan',
    mortgage: 'loan',
    line_of_credit: 'loan',
    investment: 'investment',
    ira: 'investment',
    roth: 'investment',
    plan_401k: 'investment',
  } as const),
)

/** The type a subtype collapses to; `other` for `unknown` and for any word the vocabulary does not have. */
export function typeOfSubtype(subtype: string): AccountType {
  return typeBySubtype.get(subtype) ?? 'other'
}

/** The accounts of customer A's Connections, by bank account id: every type, both signs, three currencies. */
export const demoPlans = {
  AGGREGATOR_A_1001: [
    { name: 'Everyday Checking', subtype: 'checking', mask: '4821', balance: 3284.57, pendingCharges: 1 },
    { name: 'High-Yield Savings', subtype: 'savings', mask: '9034', balance: 18250.12 },
    {
      name: 'Cash Rewards Card',
      subtype: 'credit_card',
      mask: '7710',
      balance: -2140.36,
      terms: 'full',
      creditLimit: 6000,
      pendingCharges: 2,
    },
    { name: 'Home Mortgage', subtype: 'mortgage', mask: '0058', balance: -238411.9, terms: 'full' },
    { name: 'Traditional IRA', subtype: 'ira', mask: '6642', balance: 41877.03 },
  ],
  AGGREGATOR_B_2001: [
    { name: 'Joint Checking', subtype: 'bank', mask: '1203', balance: -37.52, available: true },
    { name: 'Money Market Plus', subtype: 'money_market', mask: '1211', balance: 9120.4, available: true },
    { name: '12-Month CD', subtype: 'certificate_of_deposit', mask: '1220', balance: 15000 },
    {
      name: 'Voyage Card (overpaid)',
      subtype: 'credit_card',
      mask: '1234',
      balance: 64.25,
      available: true,
      terms: 'full',
      creditLimit: 2500,
      pendingCharges: 1,
    },
    {
      name: 'Home Equity Line',
      subtype: 'line_of_credit',
      mask: '1248',
      balance: -5310.66,
      terms: 'partial',
      creditLimit: 20000,
    },
    { name: 'Roth IRA', subtype: 'roth', mask: '1255', balance: 22410.75 },
    { name: '401(k) Plan', subtype: 'plan_401k', mask: '1269', balance: 88031.31 },
    { name: 'Girokonto Grün', subtype: 'checking', mask: '12', balance: 3507.88, currency: 'EUR' },
    { name: 'Account', subtype: 'unknown', mask: null, balance: 210 },
  ],
  FDE_123: [
    { name: 'Business Checking', subtype: 'checking', mask: '5567', balance: 12904.33, checks: true },
    { name: 'Reserve Savings', subtype: 'savings', mask: '5575', balance: 7400 },
    { name: 'Business Card', subtype: 'credit_card', mask: '5583', balance: -1290.08 },
    { name: 'Yen Card', subtype: 'credit_card', mask: '5591', balance: -298210, currency: 'JPY' },
  ],
  PDF_5001: [{ name: 'Uploaded Checking', subtype: 'checking', mask: '3390', balance: 2033.61 }],
} as const satisfies Readonly<Record<string, readonly AccountPlan[]>>

/** Customer B's: enough to show that another customer's data cannot be reached. */
export const otherPlans = {
  AGGREGATOR_A_9001: [
    { name: 'Main Checking', subtype: 'checking', mask: '8102', balance: 5120.9 },
    { name: 'Rainy Day Savings', subtype: 'savings', mask: '8110', balance: 2600.55 },
  ],
  FDE_909: [{ name: 'Shop Checking', subtype: 'checking', mask: '8128', balance: 4417.2, checks: true }],
} as const satisfies Readonly<Record<string, readonly AccountPlan[]>>
