/** Makes the accounts, with their transactions, that every Client of a crowd holds. */
import type { AccountPlan } from './account-plans.ts'
import { accountSeed } from './account-seed.ts'
import { addDays, addMonths, firstOfMonth } from './calendar.ts'
import { createRandom, seedFrom } from './random.ts'
import type { AccountSeed } from './seed-rows.ts'

/** How many of each. */
export interface CrowdSize {
  readonly clients: number
  /** Of each Client: 1 to 99. */
  readonly accounts: number
  /** Of each account. */
  readonly transactions: number
}

/** Busy accounts: the history goes back as far as it takes, and a savings account would have to go back decades. */
const plans: readonly AccountPlan[] = [
  { name: 'Checking', subtype: 'checking', mask: '4410', balance: 2480.15 },
  {
    name: 'Credit Card',
    subtype: 'credit_card',
    mask: '7725',
    balance: -612.4,
    terms: 'full',
    creditLimit: 5000,
  },
]

/**
 * As many accounts as asked for with exactly so many settled transactions each, up to the day before `today`. The ids
 * are placeholders: each copy gets ids of its own.
 */
export function crowdModel(seed: number, today: string, size: Omit<CrowdSize, 'clients'>): AccountSeed[] {
  return Array.from({ length: size.accounts }, (_, index) => {
    const plan = plans[index % plans.length] as AccountPlan
    return busyAccount(plan, seedFrom(seed, 'crowd', index), addDays(today, -1), size.transactions)
  })
}

function busyAccount(plan: AccountPlan, seed: number, lastDay: string, transactions: number): AccountSeed {
  for (let months = 6; ; months *= 2) {
    const { account, ...rows } = accountSeed(plan, {
      source: 'AGGREGATOR_A',
      number: '0',
      clientId: 'cli_crowd',
      connectionId: 'con_AGGREGATOR_A_crowd',
      bankName: 'Alder Bank',
      from: addMonths(firstOfMonth(lastDay), -months),
      through: lastDay,
      createdAt: `${lastDay}T09:30:00.000Z`,
      refreshedAt: `${lastDay}T23:40:00.000Z`,
      random: createRandom(seed),
    })
    const settled = rows.transactions.filter(({ pending }) => !pending)
    if (settled.length < transactions) continue
    const kept = settled.slice(settled.length - transactions)
    const oldest = kept.map(({ date }) => date).sort()[0] ?? null
    const row = { ...account, oldest_transaction_date: oldest }
    return { account: row, transactions: kept, statements: [], checks: [] }
  }
}
